#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# trjmap: parts, domains and metrics of real formats; quality against other methods; what mpirun and Scotch
# accept; hostile inputs.
load helper

# torus X Y Z [STEP]: hosts of a full torus, or without every STEPth
torus() {
    awk -v x="$1" -v y="$2" -v z="$3" -v step="${4-0}" 'BEGIN {
        for (i = 0; i < x * y * z; i++)
            if (!step || i % step != 7) print "n" i, int(i / z / y), int(i / z) % y, i % z }'
}

# diameters FILE: mean and largest, from the comment
diameters() {
    sed -nE 's/^# method: .*: mean ([0-9.]+), max ([0-9]+)$/\1 \2/p' "$1"
}

# metric NAME FILE
metric() {
    awk -v name="$1" '$1 == name { print $2 }' "$2"
}

# holds EXPRESSION: of numbers, for awk
holds() {
    awk "BEGIN { exit !($1) }" || { echo "$1"; return 1; }
}

# fails STATUS TEXT COMMAND...: the message contains TEXT and is one line, and no row is written
fails() {
    local status=$1 text=$2
    shift 2
    run -"$status" --separate-stderr "$@"
    # shellcheck disable=SC2154 # set by run
    [[ $stderr == *"$text"* && $stderr != *$'\n'* && ${output:-# FAILED} == '# FAILED'* ]] ||
        { echo "$stderr"; return 1; }
}

@test "parts: each host once, sizes equal, and the same bytes again" {
    torus 8 8 8 40 >"$T/c"
    for method in best bisect hilbert given kmeans; do
        trjmap -c "$T/c" --torus 8,8,8 -a -n 7 -m $method -o "$T/$method"
        trjmap -c "$T/c" --torus 8,8,8 -a -n 7 -m $method | same "$T/$method" -
        rows "$T/$method" | cut -f 1 | sort | same <(cut -d ' ' -f 1 "$T/c" | sort) -
        rows "$T/$method" | cut -f 2 | sort | uniq -c | awk '$1 != 71 && $1 != 72 { exit 1 }'
    done
}

@test "4096 scattered hosts in 64 parts: bisection and Hilbert order as published, best at most 11 and 20" {
    need_python_module numpy
    local case
    for case in 'one 11.42 23 11.77 21 10.5 15' 'three 14.19 27 11.94 31 11 20'; do
        # shellcheck disable=SC2086 # a list of words
        set -- $case
        tests/helpers/torus_hosts.py "$1" >"$T/c"
        for method in best bisect hilbert given; do
            trjmap -c "$T/c" --torus 24,24,24 -a -n 64 -m $method -o "$T/$method"
        done
        [[ $(diameters "$T/bisect") == "$2 $3" && $(diameters "$T/hilbert") == "$4 $5" ]]
        read -r mean max < <(diameters "$T/best")
        holds "$mean <= $6 && $max <= $7"
        trjmap -c "$T/c" --torus 24,24,24 --metrics "$T/best" -o "$T/m"
        holds "$(metric diameter_max "$T/m") == $max && sqrt(($(metric diameter_mean "$T/m") - $mean) ^ 2) < 0.005"
    done
}

@test "4096 scattered hosts, 16x16x16 domains: loads of links 2.70 (largest) and 1.93 (mean) below random order" {
    need_python_module numpy
    tests/helpers/torus_hosts.py three >"$T/c"
    trjmap -c "$T/c" --torus 24,24,24 -a --domains 16x16x16 -m given -o "$T/given"
    trjmap -c "$T/c" --torus 24,24,24 -a --domains 16x16x16 --goal links -o "$T/best"
    for map in given best; do
        trjmap -c "$T/c" --torus 24,24,24 --metrics "$T/$map" -o "$T/m.$map" --links "$T/l.$map"
    done
    holds "$(metric link_load_max "$T/m.given") >= 2.70 * $(metric link_load_max "$T/m.best")"
    holds "$(metric link_load_mean "$T/m.given") >= 1.93 * $(metric link_load_mean "$T/m.best")"
    # The loads of all links add up to the hops.
    rows "$T/l.best" | awk -v hops="$(metric hop_bytes "$T/m.best")" '{ sum += $6 } END { exit sum != hops }'
}

@test "stencil on a full torus: every link has the load 1, and a mesh has none across its border" {
    torus 6 5 4 >"$T/c"
    trjmap -c "$T/c" --torus 6,5,4 -a --domains 6x5x4 -m bisect -o "$T/d"
    trjmap -c "$T/c" --torus 6,5,4 --metrics "$T/d" --links "$T/links" -o "$T/m"
    [[ $(metric link_load_max "$T/m") == 1 && $(metric link_load_mean "$T/m") == 1 && $(metric links "$T/m") == 720 ]]
    trjmap -c "$T/c" --torus 6,5,4 --mesh x,3 --metrics "$T/d" --links "$T/links" >/dev/null
    rows "$T/links" | awk '$4 == 1 && (($1 == 5 && $5 == "+") || ($1 == 0 && $5 == "-")) { exit 1 }'
}

@test "--goal links: the largest load is not larger than with --goal hops" {
    printf '%s\n' 'n0 0 0 0 1' 'n1 1 1 0 0' 'n2 1 2 0 1' 'n3 0 1 0 1' 'n4 1 0 0 1' 'n5 0 2 0 1' 'n6 0 0 0 0' >"$T/c"
    local hosts domains
    for hosts in 5 6 7; do
        head -n $hosts "$T/c" >"$T/part"
        for domains in 3x5x5 5x4x3 2x3x4; do
            for goal in hops links; do
                trjmap -c "$T/part" --torus 2,3,1,2 -a --domains $domains --goal $goal -o "$T/$goal"
                trjmap -c "$T/part" --torus 2,3,1,2 --metrics "$T/$goal" -o "$T/m.$goal"
            done
            holds "$(metric link_load_max "$T/m.links") <= $(metric link_load_max "$T/m.hops")"
        done
    done
}

@test "negative coordinates: the parts of a mesh are those of the same mesh with an origin of 0" {
    awk 'BEGIN { for (i = 0; i < 30; i++) print "n" i, i % 6, int(i / 6) }' >"$T/c"
    awk '{ print $1, $2 - 40, $3 - 1000 }' "$T/c" >"$T/moved"
    for method in best bisect hilbert given kmeans; do
        trjmap -c "$T/c" -a -n 4 -m $method | rows - >"$T/parts"
        timeout 20 trjmap -c "$T/moved" -a -n 4 -m $method -o "$T/map"
        rows "$T/map" | same "$T/parts" -
        trjmap -c "$T/moved" --metrics "$T/map" -o "$T/m"
        [[ $(diameters "$T/map") == *" $(metric diameter_max "$T/m")" ]]
    done
}

@test "the largest coordinates in 16 dimensions: the diameter is exact" {
    awk 'BEGIN { for (s = -1; s < 2; s += 2) { printf "n" s + 1; for (k = 0; k < 16; k++) printf " %d", s * 67108864
        print "" } }' >"$T/c"
    trjmap -c "$T/c" -a -n 1 -o "$T/map"
    trjmap -c "$T/c" -a -n 1 -m given | has 'max 2147483648$'
    has 'max 2147483648$' <"$T/map"
    echo 'a 67108865' >"$T/c"
    fails 3 'coordinate 1 is 67108865, outside of +-67108864' trjmap -c "$T/c" -a -n 1
}

@test "a tree of 100,000 hosts: one part takes linear time, and best is not worse than bisection" {
    awk 'BEGIN { print "SwitchName=top Switches=s[0-99]"
        for (i = 0; i < 100; i++) printf "SwitchName=s%d Nodes=n[%d-%d]\n", i, i * 1000, i * 1000 + 999 }' >"$T/t.conf"
    timeout 20 trjmap --slurm "$T/t.conf" -a -n 1 -o "$T/one"
    [[ $(diameters "$T/one") == '4 4' ]]
    printf '%s\n' 'SwitchName=t Switches=a,b,c Nodes=n[0-1]' 'SwitchName=a Switches=d,e' 'SwitchName=d Nodes=n[2-6]' \
        'SwitchName=e Nodes=n[7-9]' 'SwitchName=b Switches=f' 'SwitchName=f Nodes=n[10-16]' \
        'SwitchName=c Nodes=n[17-20]' >"$T/t.conf"
    for parts in 2 3 4 5 6 7 8; do
        for method in best bisect; do
            trjmap --slurm "$T/t.conf" -a -n $parts -m $method -o "$T/$method"
            trjmap --slurm "$T/t.conf" --metrics "$T/$method" -o "$T/m"
            [[ $(diameters "$T/$method") == *" $(metric diameter_max "$T/m")" ]]
        done
        read -r best most < <(diameters "$T/best")
        read -r mean max < <(diameters "$T/bisect")
        holds "$best <= $mean || $most < $max"
    done
}

@test "Scotch: no shorter ways between 8x8x8 domains, on all and on 500 of 512 positions" {
    need scotch_gmap
    torus 8 8 8 >"$T/full"
    awk "$AWK_RANDOM"'{ print random() "\t" $0 }' seed=4 "$T/full" | sort -g | head -n 500 | cut -f 2 >"$T/holes"
    for case in 'full 8 8 8' 'holes 10 10 5'; do
        # shellcheck disable=SC2086 # a list of words
        set -- $case
        awk -v x="$2" -v y="$3" -v z="$4" '
            function id(i, j, k) { return ((i + x) % x * y + (j + y) % y) * z + (k + z) % z }
            BEGIN { print 0; print x * y * z, 6 * x * y * z; print "0 000"
                for (i = 0; i < x; i++) for (j = 0; j < y; j++) for (k = 0; k < z; k++)
                    print 6, id(i - 1, j, k), id(i + 1, j, k), id(i, j - 1, k), id(i, j + 1, k),
                        id(i, j, k - 1), id(i, j, k + 1)
            }' >"$T/graph"
        awk 'BEGIN { print "sub" } { n[NR] = substr($1, 2) }
            END { printf "%d", NR; for (i = 1; i <= NR; i++) printf " %d", n[i]
            print "\ntorus3D 8 8 8" }' "$T/$1" >"$T/target"
        [[ $1 != full ]] || echo 'torus3D 8 8 8' >"$T/target"
        scotch_gmap "$T/graph" "$T/target" "$T/map" -vm >"$T/out"
        scotch=$(sed -nE 's/.*CommDilat=([0-9.]+).*/\1/p' "$T/out")
        trjmap -c "$T/$1" --torus 8,8,8 -a --domains "$2x$3x$4" -o "$T/d"
        trjmap -c "$T/$1" --torus 8,8,8 --metrics "$T/d" -o "$T/m"
        echo "$1: Scotch $scotch, trjmap $(metric hops_mean "$T/m")"
        holds "$(metric hops_mean "$T/m") <= $scotch"
    done
}

@test "Slurm's topology.conf and topology.yaml give the same parts; blocks and dragonflies are read" {
    printf '%s\n' '# a cluster' 'switchname=s[0] Nodes=x' >"$T/bad.conf"
    printf '%s\n' '# a cluster' 'SwitchName=s1 Nodes=n[001-009] LinkSpeed=100 # leaf' \
        'SwitchName=s2 nodes=n[010-024]' '' \
        'SwitchName=top Switches=s[1-2]' >"$T/t.conf"
    printf '%s\n' '- topology: other' '  flat: true' '- topology: main' '  cluster_default: true' '  tree:' \
        '    switches:' \
        '      - switch: top' '        children: s[1-2]' '      - switch: s1' '        nodes: n[001-009]' \
        '      - switch: s2' '        nodes: n[010-024]' >"$T/t.yaml"
    trjmap --slurm "$T/t.conf" -a -n 3 -o "$T/conf"
    trjmap --slurm "$T/t.yaml" -a -n 3 | rows - | sort | same <(rows "$T/conf" | sort) -
    [[ $(diameters "$T/conf") == '2.667 4' ]]
    echo 'n[001-024]' | trjmap --slurm "$T/t.conf" -n 3 -f hosts | awk -F , 'NF != 8 { exit 1 }'
    printf 'BlockName=b1 Nodes=n[1-4]\nBlockName=b2 Nodes=n[5-8]\nBlockSizes=4\n' >"$T/b.conf"
    trjmap --slurm "$T/b.conf" -a -n 2 -o "$T/blocks"
    [[ $(diameters "$T/blocks") == '2 2' ]]
    printf 'SwitchName=r%d Nodes=n[%d-%d]\n' 0 0 3 1 4 7 2 8 11 3 12 15 >"$T/d.conf"
    printf 'SwitchName=g%d Switches=r[%d-%d]\n' 0 0 1 1 2 3 >>"$T/d.conf"
    fails 3 'add one above both, or, if this is a dragonfly, --dragonfly' trjmap --slurm "$T/d.conf" -a -n 2
    trjmap --slurm "$T/d.conf" --dragonfly -a -n 2 -o "$T/groups"
    [[ $(diameters "$T/groups") == '3 3' ]]
    trjmap --slurm "$T/d.conf" --dragonfly --metrics "$T/groups" --links "$T/links" >/dev/null
    rows "$T/links" | cut -f 1 | sort -u | same <(printf '%s\n' host routers) -
}

@test "hwloc: cores of this machine, named as in hwloc-bind; forbidden ones are left out" {
    printf '%s\n' '<?xml version="1.0"?>' '<!DOCTYPE topology SYSTEM "hwloc2.dtd">' '<topology version="2.0">' \
        '<object type="Machine" allowed_cpuset="0x000000ef">' >"$T/m.xml"
    for package in 0 1; do
        printf '<object type="Package" os_index="%d"><!-- memory --><object type="NUMANode"/>' $package
        for core in 0 1 2 3; do
            printf '<object type="Core"><object type="PU" os_index="%d"/></object>\n' $((4 * package + core))
        done
        echo '</object>'
    done >>"$T/m.xml"
    printf '</object>\n</topology>\n' >>"$T/m.xml"
    trjmap --hwloc "$T/m.xml" -a -n 2 -f hosts >"$T/out"
    same <(printf 'core:0,core:1,core:2,core:3\ncore:4,core:5,core:6\n') <(sort "$T/out") ||
        same <(printf 'core:0,core:1,core:2\ncore:3,core:4,core:5,core:6\n') <(sort "$T/out")
    fails 2 'cores of --hwloc are not hosts' trjmap --hwloc "$T/m.xml" -a -n 2 -f charm
    need lstopo-no-graphics
    lstopo-no-graphics --of xml >"$T/own.xml"
    trjmap --hwloc "$T/own.xml" -a -n 1 | rows - | has '^core:0'
}

@test "Open MPI accepts the rank file, and binds each rank to its host" {
    need mpirun
    mpirun --version | has 'Open MPI' || skip 'mpirun is not that of Open MPI'
    printf '%s\n' "SwitchName=s Nodes=$(hostname)" >"$T/t.conf"
    echo "$(hostname) slots=2" | trjmap --slurm "$T/t.conf" -n 2 -f openmpi-rankfile -o "$T/ranks"
    same <(printf 'rank 0=%s slot=0\nrank 1=%s slot=1\n' "$(hostname)" "$(hostname)") "$T/ranks"
    (($(nproc) >= 2)) || skip 'one processor'
    # shellcheck disable=SC2016 # the variable is that of the ranks
    OMPI_MCA_plm_rsh_agent=/bin/false timeout 60 mpirun --allow-run-as-root --oversubscribe -n 2 --rankfile "$T/ranks" \
        sh -c 'echo rank $OMPI_COMM_WORLD_RANK' 2>"$T/err" | sort >"$T/out" || { cat "$T/err"; return 1; }
    same <(printf 'rank 0\nrank 1\n') "$T/out"
}

@test "domains: by the atoms of frames, with excluded ranks, pencils, and host files for Slurm and Charm++" {
    torus 4 4 2 >"$T/c"
    head -n 8 "$T/c" | cut -d ' ' -f 1 >"$T/hosts"
    mkdcd --atoms 3000 --frames 2 --cell 30,30,30 >"$T/x.dcd"
    trjcat "$T/x.dcd" | trjmap -c "$T/c" --torus 4,4,2 --domains 6x5x4 --load atoms --base-load 5 "$T/hosts" -s 2 \
        --exclude 0,14-15 -o "$T/d"
    rows "$T/d" | awk '{ n[$5]++ }
        END { for (i = 0; i < 16; i++) if (!n[i] != (i == 0 || i > 13)) exit 1; exit NR != 120 }'
    holds "$(sed -nE 's/.*largest load: ([0-9.]+) of the mean/\1/p' "$T/d") < 1.3"
    trjmap -c "$T/c" --torus 4,4,2 --domains 6x5x4 --pencils 5x5 "$T/hosts" -o "$T/pencils"
    [[ $(rows "$T/pencils" | cut -f 4 | sort -u | wc -l) == 8 ]]
    trjmap -c "$T/c" --torus 4,4,2 -a --domains 4x4x2 -m given -f slurm-arbitrary | same <(cut -d ' ' -f 1 "$T/c") -
    trjmap -c "$T/c" --torus 4,4,2 -a -n 4 -f charm | awk 'NR == 1 ? $0 != "group main" : $1 != "host" { exit 1 }
        END { exit NR != 33 }'
    fails 2 'give each rank one' trjmap -c "$T/c" --torus 4,4,2 -a --domains 4x4x4 -f slurm-arbitrary
    fails 2 'give HOSTS as a file' trjmap -c "$T/c" --torus 4,4,2 --domains 4x4x4 --load atoms -
}

@test "invalid inputs: the line and a remedy, without output" {
    torus 2 2 2 >"$T/c"
    mistake() { # TEXT MESSAGE
        printf '%b' "$1" >"$T/bad"
        fails 3 "$2" trjmap -c "$T/bad" --torus 4,4 -a -n 1
    }
    mistake 'a 1 1\na 2 2\n' 'line 2: host a occurs twice'
    mistake 'a 1 -1\n' 'line 1: coordinate 2 is -1, outside of 0 to 3'
    mistake 'a 1 99999999999999999999\n' 'line 1: coordinate 2 is no integer'
    mistake 'a 1\n' 'has 1 coordinates, but --torus gives 2 lengths'
    mistake 'a\n' 'has no coordinates'
    mistake '' 'no hosts'
    mistake 'a 1 1.5\n' 'is no integer'
    mistake 'a,b 1 1\n' "line 1: invalid host name 'a,b'"
    fails 2 'requires whole hosts' trjmap -c "$T/c" --torus 2,2,2 -n 4 -m kmeans <<<$'n0 slots=2\nn[1-3]'
    fails 3 'line 1: host zz is not in the topology' trjmap -c "$T/c" --torus 2,2,2 -n 1 <<<zz
    fails 3 'line 2: host n1 is also in line 1' trjmap -c "$T/c" --torus 2,2,2 -n 1 <<<$'n[0-2]\nn1'
    fails 3 'more than' trjmap -c "$T/c" --torus 2,2,2 -n 1 <<<'n[0-999999999]'
    fails 3 'invalid slots' trjmap -c "$T/c" --torus 2,2,2 -n 1 <<<'n0 slots=0'
    fails 2 'at most one part for each rank' trjmap -c "$T/c" --torus 2,2,2 -a -n 9
    fails 2 'invalid lengths' trjmap -c "$T/c" --torus 2,0,2 -a -n 1
    fails 2 'unknown dimension' trjmap -c "$T/c" --torus 2,2,2 --mesh q -a -n 1
    fails 2 '16777216 in total' trjmap -c "$T/c" --torus 2,2,2 -a --domains 1000x1000x1000
    fails 2 'no network' trjmap -a -n 1
    fails 2 'nothing to do' trjmap -c "$T/c" --torus 2,2,2 -a
    wrong() { # TEXT MESSAGE
        printf '%b' "$1" >"$T/t.conf"
        fails 3 "$2" trjmap --slurm "$T/t.conf" -a -n 1
    }
    wrong 'SwitchName=a Switches=b\nSwitchName=b Switches=a\n' 'is below itself'
    wrong 'SwitchName=a Switches=a\n' 'is below itself'
    wrong 'SwitchName=a Switches=b\n' 'line 1: unknown switch b'
    wrong 'SwitchName=a Nodes=n[1-999999999]\n' 'line 1: host list: more than'
    wrong 'SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n' 'line 2: switch a is also in line 1'
    wrong 'SwitchName=a Nodes=n1\nSwitchName=b Nodes=n1\nSwitchName=c Switches=a,b\n' \
        'line 2: host n1 is below two switches'
    wrong 'SwitchName=a Nodes\n' 'line 1: expected KEY=VALUE'
    wrong 'SwitchName=a Colour=red\n' "line 1: unknown key 'Colour'"
    printf '<topology><object type="Machine"><object type="PU"></topology>' >"$T/x.xml"
    fails 3 'line 1: PU without os_index' trjmap --hwloc "$T/x.xml" -a -n 1
    printf '<!DOCTYPE a [<!ENTITY b "c">]><topology/>' >"$T/x.xml"
    fails 3 'unsupported declaration' trjmap --hwloc "$T/x.xml" -a -n 1
    trjmap -c "$T/c" --torus 2,2,2 -a -n 2 | sed '$d' >"$T/map"
    trjmap -c "$T/c" --torus 2,2,2 --metrics "$T/map" >/dev/null
    sed -i 's/\t1\t1\t/\t1\t2\t/' "$T/map"
    fails 3 'is missing' trjmap -c "$T/c" --torus 2,2,2 --metrics "$T/map"
    fails 3 'no names of columns' trjmap -c "$T/c" --torus 2,2,2 --metrics "$T/c"
}
