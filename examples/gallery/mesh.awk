# SPDX-License-Identifier: MIT
# Prints a gnuplot script that draws meshes in OBJ files as an SVG image, with their names and a scale:
#   awk -f mesh.awk colour='76 155 214' a.obj name=ions colour='240 160 60' b.obj | gnuplot >image.svg
# A mesh without a name has that of its file; the name - leaves it out of the list. `move=8` before files moves them by
# 8 Angstrom to the right, for several molecules in one picture, and `-v width=640` sets the width in pixels.
# The view is parallel, so that the scale holds at any depth. The brightness is interpolated between the normals at the
# corners of each triangle (H. Gouraud, IEEE Trans. Comput. C-20, 623, 1971).
BEGIN {
    if (!width) width = 420
    margin = 4   # pixels around the meshes
    legend = 60  # pixels below them
    samples = 2  # points per pixel and direction, for smooth outlines
    shades = 36  # few levels of brightness keep the file small
    cz = cos(0.6); sz = sin(0.6); cx = cos(1.2); sx = sin(1.2) # the view is turned about z, and then about x
    lx = -0.35; ly = 0.45; lz = sqrt(1 - lx * lx - ly * ly)    # the light comes from above the viewer's left shoulder
}

FNR == 1 {
    offset = points
    paint[++meshes] = colour
    names[meshes] = name
    if (name == "") { names[meshes] = FILENAME; gsub(/.*\/|\.obj$/, "", names[meshes]) }
    name = ""
}

# Sets right, up and near to the coordinates of a vector as the viewer sees it.
function view(a, b, c,    d) {
    right = cz * a - sz * b
    d = sz * a + cz * b
    up = cx * d + sx * c
    near = cx * c - sx * d
}

/^v / {
    view($2, $3, $4)
    right += move
    x[++points] = right; y[points] = up; z[points] = near
    if (points == 1 || right < left) left = right
    if (points == 1 || right > most) most = right
    if (points == 1 || up < bottom) bottom = up
    if (points == 1 || up > top) top = up
}

/^vn / { view($2, $3, $4); light[++normals] = lx * right + ly * up + lz * near }

/^f / {
    split($2, p, "/"); split($3, q, "/"); split($4, r, "/")
    a[++faces] = p[1] + offset; b[faces] = q[1] + offset; c[faces] = r[1] + offset; mesh[faces] = meshes
}

function ceiling(v) { return v > int(v) ? int(v) + 1 : int(v) }

# Adds a triangle to the lines of samples that it can cover.
function add_to_lines(i,    low, high) {
    low = high = y[a[i]]
    if (y[b[i]] < low) low = y[b[i]]
    if (y[c[i]] < low) low = y[c[i]]
    if (y[b[i]] > high) high = y[b[i]]
    if (y[c[i]] > high) high = y[c[i]]
    for (low = ceiling(low); low <= high; low++) cover[low] = cover[low] " " i
}

# Draws the part of a triangle on a line: depth and brightness are linear in the plane of the image.
function draw(i, line,    ia, ib, ic, ux, uy, vx, vy, area, s, t, ds, dt, first, last, column, depth, depth_step) {
    ia = a[i]; ib = b[i]; ic = c[i]
    ux = x[ib] - x[ia]; uy = y[ib] - y[ia]
    vx = x[ic] - x[ia]; vy = y[ic] - y[ia]
    area = ux * vy - uy * vx
    first = last = x[ia]
    if (x[ib] < first) first = x[ib]
    if (x[ic] < first) first = x[ic]
    if (x[ib] > last) last = x[ib]
    if (x[ic] > last) last = x[ic]
    first = ceiling(first)
    # The point is corner a, and the fractions s and t of the edges to b and c.
    s = ((first - x[ia]) * vy - (line - y[ia]) * vx) / area; ds = vy / area
    t = ((line - y[ia]) * ux - (first - x[ia]) * uy) / area; dt = -uy / area
    depth = z[ia] + s * (z[ib] - z[ia]) + t * (z[ic] - z[ia])
    depth_step = ds * (z[ib] - z[ia]) + dt * (z[ic] - z[ia])
    for (column = first; column <= last; column++) {
        if (s >= 0 && t >= 0 && s + t <= 1 && (!(column in front) || depth > front[column])) {
            front[column] = depth
            bright[column] = light[ia] + s * (light[ib] - light[ia]) + t * (light[ic] - light[ia])
            shown[column] = mesh[i]
        }
        s += ds; t += dt; depth += depth_step
    }
}

# Adds the samples of a line to the pixels of a row.
function add_samples(    column, pixel, shade) {
    for (column in front) {
        pixel = int(column / samples)
        shade = bright[column] > 0 ? bright[column] : 0
        shade = 0.28 + 0.72 * int(shade * shades + 0.5) / shades
        red[pixel] += rgb[shown[column], 1] * shade
        green[pixel] += rgb[shown[column], 2] * shade
        blue[pixel] += rgb[shown[column], 3] * shade
        covered[pixel]++
    }
    split("", front)
}

function print_row(row,    pixel, n, white) {
    n = samples * samples
    for (pixel = 0; pixel < width; pixel++) {
        white = 255 * (n - covered[pixel])
        print pixel, row, int((red[pixel] + white) / n), int((green[pixel] + white) / n), int((blue[pixel] + white) / n)
    }
    split("", red); split("", green); split("", blue); split("", covered)
}

# Prints the names with their colours, and a bar of 1, 2 or 5 times a power of ten.
function print_legend(total,    k, at, bar) {
    at = 14
    for (k = 1; k <= meshes; k++) {
        if (names[k] == "-") continue
        printf "set object rectangle from %d,14 to %d,26 fc rgb '#%02x%02x%02x' fs noborder\n", at, at + 12, rgb[k, 1],
               rgb[k, 2], rgb[k, 3]
        printf "set label '%s' at %d,20\n", names[k], at + 18
        at += 36 + 8 * length(names[k])
    }
    bar = 1
    while (bar * pixels > width / 4) bar /= 10
    while (bar * pixels * 10 <= width / 4) bar *= 10
    if (bar * pixels * 5 <= width / 4) bar *= 5
    else if (bar * pixels * 2 <= width / 4) bar *= 2
    printf "set arrow from %.2f,44 to %.2f,44 nohead lw 3 front\n", width - 14 - bar * pixels, width - 14
    printf "set label '%g Å' at %.2f,44 right\n", bar, width - 20 - bar * pixels
}

END {
    if (!faces) {
        print "mesh.awk: no triangles in the meshes" >"/dev/stderr"
        exit 1
    }
    pixels = (width - 2 * margin) / (most - left) # per Angstrom
    height = int((top - bottom) * pixels) + 2 * margin
    for (i = 1; i <= points; i++) {
        x[i] = ((x[i] - left) * pixels + margin) * samples
        y[i] = ((y[i] - bottom) * pixels + margin) * samples
    }
    for (i = 1; i <= meshes; i++) {
        split(paint[i], parts, " ")
        for (k = 1; k <= 3; k++) rgb[i, k] = parts[k]
    }
    # Counter-clockwise triangles face the viewer.
    for (i = 1; i <= faces; i++)
        if ((x[b[i]] - x[a[i]]) * (y[c[i]] - y[a[i]]) > (x[c[i]] - x[a[i]]) * (y[b[i]] - y[a[i]])) add_to_lines(i)

    print "set encoding utf8"
    print "$image << END"
    for (row = 0; row < height; row++) {
        for (line = row * samples; line < (row + 1) * samples; line++) {
            n = split(cover[line], list, " ")
            for (k = 1; k <= n; k++) draw(list[k], line)
            add_samples()
        }
        print_row(row + legend)
    }
    print "END"
    total = height + legend
    printf "set terminal svg noenhanced size %d,%d font 'Helvetica, Arial, sans-serif,14' background rgb 'white'\n", width,
           total
    print_legend()
    print "unset key; unset border; unset tics"
    print "set lmargin at screen 0; set rmargin at screen 1; set bmargin at screen 0; set tmargin at screen 1"
    printf "set xrange [-0.5:%d-0.5]; set yrange [-0.5:%d-0.5]\n", width, total
    print "plot $image with rgbimage"
}
