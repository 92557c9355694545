# SPDX-License-Identifier: MIT
# Draws meshes in OBJ files as an SVG image, lit from the viewer:
#   awk -f mesh.awk colour='76 155 214' a.obj colour='240 160 60' b.obj >image.svg
BEGIN {
    width = 480
    levels = 1000 # of depth: triangles are drawn from the farthest to the nearest
    cz = cos(0.6); sz = sin(0.6); cx = cos(1.2); sx = sin(1.2) # the view is turned about z, and then about x
}

FNR == 1 { offset = points }

# Sets right, up and near to the coordinates of a vector as the viewer sees it.
function view(a, b, c,    d) {
    right = cz * a - sz * b
    d = sz * a + cz * b
    up = cx * d + sx * c
    near = cx * c - sx * d
}

/^v / {
    view($2, $3, $4)
    x[++points] = right; y[points] = up; z[points] = near
    if (points == 1 || right < left) left = right
    if (points == 1 || right > most) most = right
    if (points == 1 || up < bottom) bottom = up
    if (points == 1 || up > top) top = up
    if (points == 1 || near < back) back = near
    if (points == 1 || near > front) front = near
}

/^vn / { view($2, $3, $4); light[++normals] = near }

/^f / {
    split($2, p, "/"); split($3, q, "/"); split($4, r, "/")
    a[++faces] = p[1] + offset; b[faces] = q[1] + offset; c[faces] = r[1] + offset; paint[faces] = colour
}

# Sets px and py to a vertex in the image.
function place(i) {
    px = int((x[i] - left) * scale + 4.5)
    py = int((top - y[i]) * scale + 4.5)
}

function step(i,    u, v) {
    u = px
    v = py
    place(i)
    return (px - u) (py < v ? "" : " ") (py - v)
}

END {
    scale = 4 * width / (most - left) # four units are a pixel
    for (i = 1; i <= faces; i++) {
        # Counter-clockwise triangles face the viewer.
        if ((x[b[i]] - x[a[i]]) * (y[c[i]] - y[a[i]]) <= (x[c[i]] - x[a[i]]) * (y[b[i]] - y[a[i]])) continue
        shade = (light[a[i]] + light[b[i]] + light[c[i]]) / 3
        shade = 0.25 + 0.75 * (shade > 0 ? shade : 0)
        split(paint[i], rgb, " ")
        place(a[i])
        path = sprintf("<path color=\"#%02x%02x%02x\" ", rgb[1] * shade, rgb[2] * shade, rgb[3] * shade)
        path = path "d=\"M" px " " py "l" step(b[i])
        path = path " " step(c[i]) "z\"/>\n"
        depth = int((z[a[i]] + z[b[i]] + z[c[i]] - 3 * back) / (3 * (front - back)) * levels)
        drawn[depth] = drawn[depth] path
    }
    height = (top - bottom) * scale + 8
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", width,
           height / 4, 4 * width + 8, height
    print "<style>path{fill:currentColor;stroke:currentColor;stroke-width:2}</style>"
    for (i = 0; i <= levels; i++) printf "%s", drawn[i]
    print "</svg>"
}
