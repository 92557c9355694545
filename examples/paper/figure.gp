# Draws four panels from the tables of rdfnorm in `folder`, as SVG on standard output. The Makefile runs this script.
set encoding utf8
set terminal svg noenhanced size 900,640 font 'Helvetica,14' background rgb 'white'
set datafile separator tab
set border 3
set tics nomirror
set key top right samplen 2
set style fill transparent solid 0.25 noborder
# These colours can be distinguished by colour-blind readers, as those of rdfplot.
blue = '#0072B2'; red = '#D55E00'; green = '#009E73'; grey = '#999999'
table(name) = folder . '/' . name . '.tsv'

set multiplot layout 2,2 margins 0.075,0.985,0.09,0.95 spacing 0.085,0.15
set xlabel 'r / Å' offset 0,0.4
set ylabel 'g(r)' offset 1

# Bands show one standard error. The peaks within a molecule are left of the panel.
set title '(a) water' offset 0,-0.5
set xrange [1.5:9]
set yrange [0:3.5]
plot 1 notitle dashtype 2 lc rgb grey, \
     table('water') using 1:($2-$3):($2+$3) with filledcurves fc rgb blue notitle, \
     '' using 1:2 with lines lw 2 lc rgb blue title 'O-O', \
     '' using 1:($5-$6):($5+$6) with filledcurves fc rgb red notitle, \
     '' using 1:5 with lines lw 2 lc rgb red title 'O-H'

set title '(b) NaCl in water'
set xrange [1.5:9]
set yrange [0:9]
plot 1 notitle dashtype 2 lc rgb grey, \
     table('ions') using 1:($2-$3):($2+$3) with filledcurves fc rgb blue notitle, \
     '' using 1:2 with lines lw 2 lc rgb blue title 'Na-O', \
     '' using 1:($5-$6):($5+$6) with filledcurves fc rgb red notitle, \
     '' using 1:5 with lines lw 2 lc rgb red title 'Cl-O', \
     '' using 1:($8-$9):($8+$9) with filledcurves fc rgb green notitle, \
     '' using 1:8 with lines lw 2 lc rgb green title 'Na-Cl'

set title '(c) argon'
set xrange [2:12]
set yrange [0:8]
plot 1 notitle dashtype 2 lc rgb grey, \
     table('crystal') using 1:2 with lines lw 2 lc rgb blue title 'crystal', \
     table('liquid') using 1:2 with lines lw 2 lc rgb red title 'liquid'

# Mean of 400 frames
set title '(d) 55 atoms of argon'
set ylabel 'pairs'
set xrange [2:16]
set yrange [0:60]
plot table('cluster') using (($1+$2)/2):($3/400) with lines lw 2 lc rgb blue notitle

unset multiplot
