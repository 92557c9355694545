#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""vtk_mesh.py: checks meshes and surfaces of surf with VTK.

vtk_mesh.py read FILE...    prints vertices, triangles, area, volume, and edges that are not shared by two triangles
vtk_mesh.py colours FILE    prints the number of colours, and those of the lowest and the highest vertex
vtk_mesh.py compare COUNT   compares surfaces of COUNT random smooth maps with those of VTK's flying edges
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy
import vtk
from vtk.util import numpy_support

READERS = {".ply": vtk.vtkPLYReader, ".obj": vtk.vtkOBJReader, ".stl": vtk.vtkSTLReader}


def measure(mesh):
    """Returns points, triangles, area, volume and the number of edges without two triangles."""
    points = numpy_support.vtk_to_numpy(mesh.GetPoints().GetData()).astype(float)
    corners = points[numpy_support.vtk_to_numpy(mesh.GetPolys().GetConnectivityArray()).reshape(-1, 3)]
    normals = numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = numpy.linalg.norm(normals, axis=1).sum() / 2
    volume = (normals * (corners[:, 0] - points.mean(axis=0))).sum() / 6
    edges = vtk.vtkFeatureEdges()
    edges.SetInputData(mesh)
    edges.BoundaryEdgesOn()
    edges.NonManifoldEdgesOn()
    edges.FeatureEdgesOff()
    edges.ManifoldEdgesOff()
    edges.Update()
    return (mesh.GetNumberOfPoints(), mesh.GetNumberOfCells(), area, volume,
            edges.GetOutput().GetNumberOfCells())


def load(path):
    reader = READERS[os.path.splitext(path)[1]]()
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


def colours(path):
    mesh = load(path)
    rgb = numpy_support.vtk_to_numpy(mesh.GetPointData().GetArray("RGB"))
    z = numpy_support.vtk_to_numpy(mesh.GetPoints().GetData())[:, 2]
    print(len(numpy.unique(rgb, axis=0)), *rgb[z.argmin()], *rgb[z.argmax()])


def smooth_map(rng):
    """Returns a sum of Gaussians, and the step."""
    n = rng.integers(40, 56, 3)
    step = rng.uniform(0.4, 1.2) * rng.uniform(0.7, 1, 3)
    axes = [numpy.arange(n[k]) * step[k] for k in range(3)]
    values = numpy.zeros(n)
    for _ in range(rng.integers(1, 9)):
        centre = [rng.uniform(0.3, 0.7) * axes[k][-1] for k in range(3)]
        width = rng.uniform(4, 5) * step.max()
        one = [numpy.exp(-((axes[k] - centre[k]) / width) ** 2) for k in range(3)]
        values += one[0][:, None, None] * one[1][None, :, None] * one[2][None, None, :]
    return values.astype(numpy.float32), step


def compare(count):
    rng = numpy.random.default_rng(5)
    worst = [0.0, 0.0]
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(count):
            values, step = smooth_map(rng)
            while max(abs(numpy.take(values, end, axis)).max() for axis in range(3) for end in (0, -1)) > 0.19:
                values, step = smooth_map(rng)  # the surface must not reach the border, where VTK leaves it open
            level = float(numpy.float32(rng.uniform(0.2, 0.6)))
            path = os.path.join(folder, "map.npy")
            numpy.save(path, values)
            with open(path[:-3] + "json", "w", encoding="utf-8") as out:
                json.dump({"origin": [0, 0, 0], "steps": numpy.diag(step).tolist()}, out)
            table = subprocess.run(["surf", "-l", repr(level), path], check=True, capture_output=True, text=True)
            row = [float(v) for v in table.stdout.splitlines()[-1].split("\t")]
            image = vtk.vtkImageData()
            image.SetDimensions(*values.shape)
            image.SetSpacing(*step)
            array = numpy_support.numpy_to_vtk(values.ravel(order="F"))
            image.GetPointData().SetScalars(array)
            edges = vtk.vtkFlyingEdges3D()
            edges.SetInputData(image)
            edges.SetValue(0, level)
            edges.Update()
            points, triangles, area, volume, _ = measure(edges.GetOutput())
            volume = abs(volume)
            euler = points - triangles // 2
            worst[0] = max(worst[0], abs(row[4] / area - 1))
            worst[1] = max(worst[1], abs(row[5] / volume - 1))
            if worst[0] > 2e-4 or worst[1] > 1e-3 or row[7] != euler or row[3] != triangles:
                sys.exit(f"surf: {row}; VTK: {points} {triangles} {area} {volume} {euler}")
    print(f"{count} maps: largest differences {worst[0]:.2g} of the area, {worst[1]:.2g} of the volume")


def main():
    if sys.argv[1] == "read":
        for path in sys.argv[2:]:
            print(*measure(load(path)))
    elif sys.argv[1] == "colours":
        colours(sys.argv[2])
    else:
        compare(int(sys.argv[2]))


main()
