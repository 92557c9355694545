#!/bin/sh
# The pair distribution function of vitreous silica as neutron and X-ray instruments measure it, and published values.
#
#   usage: ./run.sh [FOLDER]      (the folder of the tables and figures; default: out, beside this script)
#
# Uses the tools in PATH, or those in ../../bin, where `make` puts them.
set -eu

here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
mkdir -p -- "${1:-$here/out}"
out=$(CDPATH='' cd -- "${1:-$here/out}" && pwd)
cd "$here"
command -v trjcat >/dev/null || PATH=$(CDPATH='' cd ../../bin && pwd):$PATH

trjcat -t silica.pdb --by element silica.dcd | rdfhist -r 10 -b 1000 -p '*:*' -o "$out/silica.rdfh"
cd "$out"
awk '/^```/ { on = $0 == "```sh"; next } on' "$here/README.md" >commands.sh
sh -e commands.sh

# peak TABLE FROM TO: the r or q of the highest value of the second column
peak() {
    awk -v from="$2" -v to="$3" '!/^#/ && $1 > from && $1 < to && $2 > high { high = $2; x = $1 } END { print x }' "$1"
}

# The area of a peak of r T(r) is 2 c b b' n: c = 1/3 is the fraction of silicon, b of Si and O are 4.1491 and 5.803 fm.
area() {
    awk '!/^#/ && $1 > 1.3 && $1 < 1.95 { s += $1 * $2 * 0.01 } END {
        printf "%.2f\n", s / (2 / 3 * 0.41491 * 0.5803) }' "$1"
}
number() {
    awk -F '\t' -v name="$1" '/^# r/ { sub(/^# /, ""); for (i = 1; i <= NF; i++) if ($i == name) k = i }
        !/^#/ && $1 == 2 { printf "%.2f\n", $k }' n.tsv
}
{
    peak t.tsv 1.3 1.9
    peak xray.tsv 1.3 1.9
    peak t.tsv 2.3 2.9
    number 'n(Si:O)'
    number 'n(O:Si)'
    peak s.tsv 1 2.2
} >values
{ echo '# quantity	published	source	computed' && grep -v '^#' "$here/published.tsv" | paste - values; } >compared.tsv
rm values
for qmax in 12 20 45; do echo "$qmax	$(area "t$qmax.tsv")"; done >areas.tsv
for file in t.tsv xray.tsv silica.gr silica.sq compared.tsv areas.tsv glass.svg; do echo "$out/$file"; done
