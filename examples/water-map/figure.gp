# Draws the density of solvent in one plane as colours, and that of the chain as contours, from the maps in `folder`, as
# SVG on standard output.
set encoding utf8
set terminal svg noenhanced size 620,520 font 'Helvetica,14' background rgb 'white'
# The values follow a header of 128 bytes; y is the fastest axis.
read(group, origin) = sprintf("'%s/%s.npy' binary skip=128 array=(61,61) format='%%float64' transpose origin=(%s) dx=0.5 dy=0.5 ", \
    folder, group, origin)

# Contours of the chain at 2, 5 and 10 beads per 1000 cubic Angstrom
set contour base
unset surface
set cntrparam levels discrete 0.002, 0.005, 0.01
set table $chain
eval 'splot ' . read('chain', '8.4,18.1,0') . 'using 1'
unset table
unset contour
set surface

set size ratio -1
set xrange [8.15:38.65]
set yrange [17.85:48.35]
set tics out nomirror
set xlabel 'x (Å)'
set ylabel 'y (Å)'
set cblabel 'density of solvent, relative'
set cbrange [0:1.4]
# Dark where the density is high, and with a lightness that increases throughout
set palette defined (0 '#ffffff', 0.5 '#c6dbef', 1 '#4292c6', 1.4 '#08306b')
eval 'plot ' . read('solvent', '8.4,18.1') . "using 1 with image notitle, $chain using 1:2 with lines lw 1.5 lc rgb '#D55E00' notitle"
