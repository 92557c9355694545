# Prints a data file of LAMMPS with side^3 SPC/E waters on a simple cubic lattice of this spacing, in random
# orientations: awk -v side=7 -v spacing=3.104 -v seed=20250 -f lattice.awk
#
# The random generator is part of this file (Park and Miller 1988, exact in a double), because rand() differs between
# versions of awk.
function uniform() {
	seed = (seed * 16807) % 2147483647
	return seed / 2147483647
}
# Sets r to the rotation matrix of a uniformly distributed unit quaternion (Shoemake 1992).
function turn(    u, v, w, a, b, x, y, z) {
	u = uniform(); v = 2 * pi * uniform(); w = 2 * pi * uniform()
	a = sqrt(1 - u); b = sqrt(u)
	x = a * sin(v); y = a * cos(v); z = b * sin(w); w = b * cos(w)
	r[1,1] = 1 - 2 * (y*y + z*z); r[1,2] = 2 * (x*y - z*w)
	r[2,1] = 2 * (x*y + z*w);     r[2,2] = 1 - 2 * (x*x + z*z)
	r[3,1] = 2 * (x*z - y*w);     r[3,2] = 2 * (y*z + x*w)
}
# Prints an atom. (p, q) is its position in the plane of the molecule, with the oxygen at the origin.
function atom(type, charge, p, q) {
	printf "%d %d %d %s %.6f %.6f %.6f\n", ++id, mol, type, charge, \
	    ox + r[1,1]*p + r[1,2]*q, oy + r[2,1]*p + r[2,2]*q, oz + r[3,1]*p + r[3,2]*q
}
BEGIN {
	pi = atan2(0, -1)
	n = side * side * side
	half = 109.47 / 2 * pi / 180
	printf "SPC/E water\n\n"
	printf "%d atoms\n%d bonds\n%d angles\n\n", 3 * n, 2 * n, n
	printf "2 atom types\n1 bond types\n1 angle types\n\n"
	printf "0 %.6f xlo xhi\n0 %.6f ylo yhi\n0 %.6f zlo zhi\n", \
	    side * spacing, side * spacing, side * spacing
	printf "\nMasses\n\n1 15.9994\n2 1.008\n\nAtoms # full\n\n"
	for (i = 0; i < side; i++)
		for (j = 0; j < side; j++)
			for (k = 0; k < side; k++) {
				mol++
				ox = (i + 0.5) * spacing
				oy = (j + 0.5) * spacing
				oz = (k + 0.5) * spacing
				turn()
				atom(1, "-0.8476", 0, 0)
				atom(2, "0.4238", cos(half), sin(half))
				atom(2, "0.4238", cos(half), -sin(half))
			}
	printf "\nBonds\n\n"
	for (m = 0; m < n; m++) {
		print 2*m + 1, 1, 3*m + 1, 3*m + 2
		print 2*m + 2, 1, 3*m + 1, 3*m + 3
	}
	printf "\nAngles\n\n"
	for (m = 0; m < n; m++)
		print m + 1, 1, 3*m + 2, 3*m + 1, 3*m + 3
}
