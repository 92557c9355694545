#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Real Amber NetCDF files. tests/unit/test_netcdf.c tests dialects and errors one by one.
load helper

@test "real files: selected frames, pipes and compressed files give the same frames" {
    need_shared
    need zstd
    local file
    for file in amber/bala.ncdf amber/tz2.truncoct.nc amber/version-5.nc multi/octahedron_trajectory.nc; do
        trjcat "$DATA/$file" | trjdump | grep -vE '^provenance' | sed 's/ of [^ ]* step/ step/' >"$T/expected"
        [[ -s $T/expected ]]
        zstd -q -c "$DATA/$file" | trjcat - | trjdump | grep -vE '^provenance' | sed 's/ of [^ ]* step/ step/' |
            same "$T/expected" -
        trjcat -f 2:5:2 "$DATA/$file" | trjdump | grep '^frame' | cut -d ' ' -f 2 | tr '\n' ' ' >"$T/some"
        [[ $(<"$T/some") == '2 4 ' ]]
    done
}

@test "files written by netCDF4: numbers, times and cells are equal, in float64, in nm, of a restart" {
    need_python_module netCDF4
    run_python - "$T" <<'EOF'
import sys, netCDF4, numpy
def make(name, form, convention, type, shape):
    d = netCDF4.Dataset(sys.argv[1] + '/' + name, 'w', format=form)
    d.Conventions, d.ConventionVersion = convention, '1.0'
    frames = ('frame',) if len(shape) == 3 else ()
    if frames: d.createDimension('frame', None)
    d.createDimension('atom', shape[-2])
    d.createDimension('spatial', 3)
    x = d.createVariable('coordinates', type, frames + ('atom', 'spatial'))
    x.units = 'nanometer'
    t = d.createVariable('time', type, frames)
    t.units = 'femtosecond'
    a = d.createVariable('cell_lengths', 'f8', frames + ('spatial',))
    a.units = 'nanometer'
    b = d.createVariable('cell_angles', 'f8', frames + ('spatial',))
    b.units = 'degree'
    numbers = (numpy.arange(numpy.prod(shape)) / 7).reshape(shape)
    for k in range(shape[0]) if frames else [Ellipsis]:
        x[k], t[k], a[k], b[k] = numbers[k], 500 if frames == () else 500 * k, (3, 4, 5), (90, 90, 60)
    d.close()
    with open(sys.argv[1] + '/' + name + '.txt', 'w') as f:
        for v in numbers.reshape(-1, 3).astype('f4').view('u4'): f.write('%08x %08x %08x\n' % tuple(v))
make('3.nc', 'NETCDF3_CLASSIC', 'AMBER', 'f4', (4, 3, 3))
make('5.nc', 'NETCDF3_64BIT_DATA', 'AMBER', 'f8', (2, 9, 3))
make('r.ncrst', 'NETCDF3_64BIT_OFFSET', 'AMBERRESTART', 'f8', (7, 3))
make('4.nc', 'NETCDF4', 'AMBER', 'f4', (2, 2, 3))
EOF
    local file
    for file in 3.nc 5.nc r.ncrst; do
        trjdump <"$T/$file" | grep -vE '^(atoms|group|provenance|frame) ' | same "$T/$file.txt" -
        trjdump <"$T/$file" | grep '^frame' | awk -v restart=$((${#file} > 4)) '
            { if ($8 != (restart ? 0.5 : n++ * 0.5) || $10 != 10 || $12 != 7 || $14 != 30 ||
                  $17 != 20.000000000000004 ||
                  $18 != 34.641016151377542 || $22 != 50) { print; bad = 1 } }
            END { exit bad || !NR }'
    done
    if trjcat --formats | has '^h5md'; then
        fails 3 \
            '4.nc: is HDF5, but not H5MD: group /h5md is missing; if it is NetCDF-4, convert it with nccopy -k classic' \
            trjcat "$T/4.nc"
    else
        fails 4 '4.nc: *' trjcat "$T/4.nc"
    fi
}

@test "damaged and foreign NetCDF files: rejected" {
    need_shared
    need_zlib
    fails_cleanly 3 'nc_cut.ncdf: frame 15: byte 481392: truncated in coordinates' trjcat "$DATA/damaged/nc_cut.ncdf"
    trjcat -f :15 "$DATA/damaged/nc_cut.ncdf" | trjdump | has '^frame 14 '
    fails_cleanly 3 'nc_cut.ncdf: frame 15: byte 481392: truncated in coordinates' \
        trjcat -f 20 "$DATA/damaged/nc_cut.ncdf"
    # The velocities and forces of the last frame follow its coordinates.
    local file=$DATA/amber/version-5.nc size cut
    size=$(stat -c %s "$file")
    trjcat "$file" >/dev/null
    for cut in $(seq 0 61 999) $((size / 2)) $(seq $((size - 36000)) 999 $((size - 1))) $((size - 4)) $((size - 1)); do
        head -c "$cut" "$file" >"$T/cut.nc"
        fails 3 'cut.nc: *' trjcat "$T/cut.nc"
        fails 3 'cut.nc: *' trjinfo "$T/cut.nc"
        fails 3 'cut.nc: *' trjinfo --check "$T/cut.nc"
    done
    fails 3 'cut.nc: frame *: byte 1042471: truncated in the variables that are not read' trjcat "$T/cut.nc"
    gzip "$T/cut.nc"
    fails 3 'cut.nc.gz: frame *: byte 1042471: truncated in the variables that are not read' trjcat "$T/cut.nc.gz"
    fails_cleanly 3 'fake_nc.nc: not a known trajectory format' trjcat "$DATA/damaged/fake_nc.nc"
    fails_cleanly 3 'fake_nc.nc: is not netcdf' trjcat --format netcdf "$DATA/damaged/fake_nc.nc"
}
