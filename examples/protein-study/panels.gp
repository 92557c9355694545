# Draws a page of panels from the files of protein-study.yaml in `folder`, as SVG on standard output. run.sh runs it.
set encoding utf8
set terminal svg noenhanced size 960,960 font 'Helvetica,13' background rgb 'white'
set datafile separator tab
# These colours can be distinguished by colour-blind readers, as those of rdfplot.
blue = '#0072B2'; red = '#D55E00'; green = '#009E73'; light = '#56B4E9'; grey = '#999999'
file(name) = folder . '/' . name
table = file('observables.tsv')

# left(I) and right(I): the margins of panel I from the top, of five at the left and four at the right
top(i, n) = 0.965 - 0.925 * i / n
left(i) = sprintf('set lmargin at screen 0.085; set rmargin at screen 0.585; set tmargin at screen %g; ' . \
    'set bmargin at screen %g', top(i, 5), top(i, 5) - 0.145)
right(i) = sprintf('set lmargin at screen 0.73; set rmargin at screen 0.91; set tmargin at screen %g; ' . \
    'set bmargin at screen %g', top(i, 4), top(i, 4) - 0.15)
# title(TEXT): the title of a panel; curve(I, X, TEXT, COLOUR): the name of a curve, in its colour, beside the title
title(text) = "unset label; set label '" . text . "' at graph 0,1.07"
curve(x, text, colour) = sprintf("set label '%s' at graph %g,1.07 textcolor rgb '%s'", text, x, colour)

# Many viewers smooth the pixels of images. Of panels in which a residue is large, it therefore has eight pixels.
# row(Y, FIRST): the number of the residue at Y, from 0. gnuplot needs blanks as separators for '++' and $contacts.
array class[300 * 15]
array contact[17 * 17]
row(y, first) = int(y - first + 0.5)
stats file('classes.tsv') matrix every 1:1:2 using (class[int(($1 - 2) * 300 + $2 + 1)] = $3) nooutput
set datafile separator whitespace
set table $contacts
plot file('contacts.npy') binary skip=128 array=(17,17) format='%float32' with image
unset table
stats $contacts using (contact[int(17 * $2 + $1 + 1)] = $3) nooutput
set datafile separator tab

set border 3
set tics nomirror
unset key
set multiplot
set xrange [0:3]

# Columns of classes.tsv from the third one are the residues; 0 none, 1 H, 2 G, 3 I, 4 E, 5 B, 6 T, 7 S.
eval left(0)
eval title('(a) secondary structure')
eval curve(0.385, 'α helix', blue)
eval curve(0.52, '3-10 helix', light)
eval curve(0.69, 'π helix', green)
eval curve(0.815, 'turn or bend', grey)
set palette maxcolors 8 defined (0 '#ffffff', 1 blue, 2 light, 3 green, 4 red, 5 red, 6 '#bbbbbb', 7 '#e6e6e6')
set cbrange [-0.5:7.5]
unset colorbox
set ylabel 'residue' offset 1
set yrange [0.5:15.5]
set ytics 1,7
set format x ''
set datafile separator whitespace
set samples 300
set isosamples 120
plot sample [u=0:2.99] [v=0.5625:15.4375] '++' using \
    1:2:(class[row($2, 1) * 300 + int(100 * $1 + 0.5) + 1]) with image
set datafile separator tab
set ytics autofreq

eval left(1)
eval title('(b) backbone')
eval curve(0.34, 'residues in an α helix', light)
eval curve(0.74, 'hydrogen bonds', red)
set ylabel 'number'
set yrange [0:14]
set ytics 4
plot table using ($2/1000):9 with filledcurves y=-1 fc rgb light fs transparent solid 0.35 noborder, \
     '' using ($2/1000):6 with lines lw 1 lc rgb red

eval left(2)
set ytics 0.5
eval title('(c) native contacts')
set ylabel 'Q'
set yrange [0:1.05]
plot table using ($2/1000):7 with lines lw 1 lc rgb blue

eval left(3)
set ytics 10
eval title('(d) lengths')
eval curve(0.34, 'end to end', red)
eval curve(0.54, 'radius of gyration', blue)
eval curve(0.87, 'RMSD', green)
set ylabel 'length / Å'
set yrange [0:32]
plot table using ($2/1000):5 with lines lw 1 lc rgb red, \
     '' using ($2/1000):3 with lines lw 1 lc rgb blue, \
     '' using ($2/1000):4 with lines lw 1 lc rgb green

eval left(4)
set ytics 200
eval title('(e) surface')
set format x '%g'
set xlabel 'time / ns' offset 0,0.4
set ylabel 'area / Å²'
set yrange [1200:1750]
plot table using ($2/1000):8 with lines lw 1 lc rgb blue

set colorbox
set border 15
set size ratio -1
eval right(0)
eval title('(f) free energy, 500 K')
set xlabel 'φ / °' offset 0,0.4
set ylabel 'ψ / °' offset 1
set xrange [-180:180]
set yrange [-180:180]
set xtics 90
set ytics 90
set palette defined (0 '#08306b', 0.5 '#4292c6', 1 '#f0f6fc') maxcolors 10
set cbrange [0:25]
set cblabel 'kJ/mol'
plot file('torsions.npy') binary skip=128 array=(60,60) format='%float64' dx=6 dy=6 origin=(-177,-177) \
    with image

eval right(1)
eval title('(g) contacts')
set xlabel 'residue'
set ylabel 'residue'
set xrange [-0.5:16.5]
set yrange [-0.5:16.5]
set xtics 0,4
set ytics 0,4
set palette defined (0 '#ffffff', 0.5 '#4292c6', 1 '#08306b') maxcolors 20
set cbrange [0:1]
set cblabel 'share of frames'
set datafile separator whitespace
set samples 136
set isosamples 136
plot sample [u=-0.4375:16.4375] [v=-0.4375:16.4375] '++' using \
    1:2:(contact[17 * row($2, 0) + row($1, 0) + 1]) with image
set datafile separator tab

set border 3
set size noratio
eval right(2)
eval title('(h) fluctuation of Cα')
set ylabel 'RMSF / Å'
set xrange [0.4:15.6]
set yrange [0:*]
set xtics 1,7
set ytics 1
set style fill solid
set boxwidth 0.7
plot file('rmsf.tsv') using 4:6 with boxes lc rgb blue

eval right(3)
eval title('(i) mean dipole moment')
set ytics 20
set xlabel 'residues in an α helix'
set ylabel 'moment / D'
set xrange [-0.5:13.5]
set xtics 0,4
plot table using 9:17 smooth unique with linespoints pt 7 ps 0.5 lc rgb blue

unset multiplot
