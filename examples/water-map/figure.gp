# Draws the density of the solvent in one plane as colours, and the density of the molecule as contours: SVG on standard
# output. The variable `folder` is the folder of the maps.
set encoding utf8
set terminal svg noenhanced size 620,520 font 'Helvetica,14' background rgb 'white'
# The values of a NumPy file follow a header of 128 bytes; y is the fastest axis.
layout = "binary skip=128 array=(61,61) format='%float64' transpose dx=0.5 dy=0.5 "
read(group, origin) = "'" . folder . '/' . group . ".npy' " . layout . 'origin=(' . origin . ') using 1 '

# Contours of the molecule
set contour base
unset surface
set cntrparam levels discrete 0.25, 0.6, 1.2
set table $mol
eval 'splot ' . read('mol', '8.4,18.1,0')
unset table
unset contour
set surface

set size ratio -1
set xrange [8.15:38.65]
set yrange [17.85:48.35]
set tics out nomirror
set xlabel 'x / Å'
set ylabel 'y / Å'
set cblabel 'density of solvent, relative'
set cbrange [0:1.4]
# Dark where the density is high, and with a lightness that increases throughout
set palette defined (0 '#ffffff', 0.5 '#c6dbef', 1 '#4292c6', 1.4 '#08306b')
eval 'plot ' . read('sol', '8.4,18.1') . "with image notitle, \
    $mol using 1:2 with lines lw 1.5 lc rgb '#D55E00' notitle"
