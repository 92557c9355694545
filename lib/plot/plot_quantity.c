// SPDX-License-Identifier: MIT
// Lists the quantities that columns can contain, with their axes, so that a new column is one row of a table.
#include "plot_quantity.h"

#include <string.h>

// Entries with `bracket` come before others of the same column: the totals of rdfnorm, whose units differ, come before
// Kirkwood-Buff integrals.
static const struct plot_quantity quantities[] = {
    {"g", NULL, "g(r)", "g(r)", "", .line = PLOT_LINE_AT_ONE, .has_spikes = true},
    {"count", NULL, "counts", "pairs", "", .line = PLOT_NO_LINE},
    {"number", NULL, "number densities", "ρ g(r)", "Å⁻³", .has_spikes = true},
    {"radial", NULL, "radial densities", "4πr²ρ g(r)", "Å⁻¹", .has_spikes = true},
    {"atoms", NULL, "numbers of atoms", "atoms in the bin", "", .line = PLOT_NO_LINE},
    {"n", NULL, "coordination numbers", "n(r)", "", .cumulative = true},
    {"Gs", NULL, "self parts", "Gₛ(r, t)", "Å⁻³", .line = PLOT_NO_LINE},
    {"radialGs", NULL, "self parts", "4πr² Gₛ(r, t)", "Å⁻¹", .line = PLOT_NO_LINE},
    {"share", NULL, "shares of atoms", "share of atoms", "", .line = PLOT_NO_LINE},
    {"G", "number", "totals G(r)", "G(r)", "", .line = PLOT_LINE_AT_ZERO, .has_spikes = true},
    {"G", "neutron", "totals G(r)", "G(r)", "barn", .line = PLOT_LINE_AT_ZERO, .has_spikes = true},
    {"G", "xray", "totals G(r)", "G(r)", "e²", .line = PLOT_LINE_AT_ZERO, .has_spikes = true},
    {"G", "electron", "totals G(r)", "G(r)", "Å²", .line = PLOT_LINE_AT_ZERO, .has_spikes = true},
    {"D", "number", "totals D(r)", "D(r)", "Å⁻²", .line = PLOT_LINE_AT_ZERO, .has_spikes = true},
    {"D", "neutron", "totals D(r)", "D(r)", "barn Å⁻²", .line = PLOT_LINE_AT_ZERO, .has_spikes = true},
    {"D", "xray", "totals D(r)", "D(r)", "e² Å⁻²", .line = PLOT_LINE_AT_ZERO, .has_spikes = true},
    {"D", "electron", "totals D(r)", "D(r)", "", .line = PLOT_LINE_AT_ZERO, .has_spikes = true},
    {"T", "number", "totals T(r)", "T(r)", "Å⁻²", .has_spikes = true},
    {"T", "neutron", "totals T(r)", "T(r)", "barn Å⁻²", .has_spikes = true},
    {"T", "xray", "totals T(r)", "T(r)", "e² Å⁻²", .has_spikes = true},
    {"T", "electron", "totals T(r)", "T(r)", "", .has_spikes = true},
    {"RDF", NULL, "totals RDF(r)", "RDF(r)", "Å⁻¹", .line = PLOT_NO_LINE, .has_spikes = true},
    {"pdf", NULL, "totals D(r)/<b>²", "D(r)/⟨b⟩²", "Å⁻²", .line = PLOT_LINE_AT_ZERO, .has_spikes = true},
    {"S", NULL, "structure factors", "S(q)", "", .line = PLOT_LINE_AT_ONE_OR_ZERO, .diverges_at_start = true},
    {"F", "number", "totals F(q)", "F(q)", "", .line = PLOT_LINE_AT_ZERO, .diverges_at_start = true},
    {"F", "neutron", "totals F(q)", "F(q)", "barn", .line = PLOT_LINE_AT_ZERO, .diverges_at_start = true},
    {"F", "xray", "totals F(q)", "F(q)", "e²", .line = PLOT_LINE_AT_ZERO, .diverges_at_start = true},
    {"F", "electron", "totals F(q)", "F(q)", "Å²", .line = PLOT_LINE_AT_ZERO, .diverges_at_start = true},
    {"F", NULL, "intermediate scattering functions", "F(q, t)", "", .line = PLOT_LINE_AT_ZERO},
    {"Fq", NULL, "totals q (S(q) - 1)", "q (S(q) - 1)", "Å⁻¹", .line = PLOT_LINE_AT_ZERO},
    {"w", NULL, "potentials of mean force", "w(r)", "kJ mol⁻¹", .line = PLOT_LINE_AT_ZERO},
    {"G", NULL, "Kirkwood-Buff integrals", "G", "Å³", .label = "running", .line = PLOT_LINE_AT_ZERO},
    {"Gsphere", NULL, "Kirkwood-Buff integrals", "G", "Å³", .label = "sphere", .line = PLOT_LINE_AT_ZERO},
    {"Ginf", NULL, "Kirkwood-Buff integrals", "G", "Å³", .label = "extrapolated", .line = PLOT_LINE_AT_ZERO},
    {"s2", NULL, "pair entropies", "s₂(r)", "k_B", .line = PLOT_LINE_AT_ZERO},
    // Measured curves.
    {"I", NULL, "intensities", "I(q)", "", .line = PLOT_NO_LINE},
    {"value", NULL, "measured values", "value", "", .line = PLOT_NO_LINE},
    {"P", NULL, "distributions", "P", "", .line = PLOT_NO_LINE},
    {"iso", NULL, "angles over independent directions", "P(θ) / P₀(θ)", "", .line = PLOT_LINE_AT_ONE},
    {"g3", NULL, "g₃", "g₃(θ, r)", "", .line = PLOT_LINE_AT_ONE},
    {"stay", NULL, "pairs that stay", "pairs per frame", "", .label = "stay", .line = PLOT_NO_LINE},
    {"enter", NULL, "pairs that enter", "pairs per frame", "", .label = "enter", .line = PLOT_NO_LINE},
    {"leave", NULL, "pairs that leave", "pairs per frame", "", .label = "leave", .line = PLOT_NO_LINE},
    // Scores of mapcc.
    {"cc", NULL, "correlations", "correlation", "", .line = PLOT_NO_LINE},
    {"cc0", NULL, "correlations about zero", "correlation about zero", "", .line = PLOT_NO_LINE},
    {"overlap", NULL, "overlaps", "overlap", "", .line = PLOT_NO_LINE},
    {"inner", NULL, "mean products", "mean product", "", .line = PLOT_NO_LINE},
    {"msd", NULL, "mean squared differences", "mean squared difference", "", .line = PLOT_NO_LINE},
    {"residual", NULL, "residuals", "residual", "", .line = PLOT_NO_LINE},
    {"entropy", NULL, "relative entropies", "relative entropy", "", .line = PLOT_LINE_AT_ZERO},
    {"fsc", NULL, "Fourier shell correlations", "FSC", "", .line = PLOT_LINE_AT_ZERO},
    // Observables of trjstat.
    {"rg", NULL, "radii of gyration", "Rg", "Å", .line = PLOT_NO_LINE},
    {"rmsd", NULL, "deviations from a reference", "RMSD", "Å", .line = PLOT_NO_LINE},
    {"distance", NULL, "distances", "distance", "Å", .line = PLOT_NO_LINE},
    {"mindist.distance", NULL, "smallest distances", "smallest distance", "Å", .line = PLOT_NO_LINE},
    {"end_to_end", NULL, "end-to-end distances", "end-to-end distance", "Å", .line = PLOT_NO_LINE},
    {"angle", NULL, "angles", "angle", "°", .line = PLOT_NO_LINE},
    {"torsion", NULL, "torsion angles", "torsion angle", "°", .line = PLOT_NO_LINE, .is_angle = true},
    {"phi", NULL, "torsion angles φ", "φ", "°", .line = PLOT_NO_LINE, .is_angle = true},
    {"psi", NULL, "torsion angles ψ", "ψ", "°", .line = PLOT_NO_LINE, .is_angle = true},
    {"omega", NULL, "torsion angles ω", "ω", "°", .line = PLOT_NO_LINE, .is_angle = true},
    {"chi1", NULL, "torsion angles χ₁", "χ₁", "°", .line = PLOT_NO_LINE, .is_angle = true},
    {"chi2", NULL, "torsion angles χ₂", "χ₂", "°", .line = PLOT_NO_LINE, .is_angle = true},
    {"chi3", NULL, "torsion angles χ₃", "χ₃", "°", .line = PLOT_NO_LINE, .is_angle = true},
    {"chi4", NULL, "torsion angles χ₄", "χ₄", "°", .line = PLOT_NO_LINE, .is_angle = true},
    {"chi5", NULL, "torsion angles χ₅", "χ₅", "°", .line = PLOT_NO_LINE, .is_angle = true},
    {"tilt", NULL, "tilt angles", "tilt angle", "°", .line = PLOT_NO_LINE},
    {"dssp", NULL, "classes of secondary structure", "secondary structure", "", .line = PLOT_NO_LINE,
     .classes = "none H G I E B T S"},
    {"contacts", NULL, "numbers of contacts", "contacts", "", .line = PLOT_NO_LINE},
    {"native", NULL, "fractions of native contacts", "Q", "", .line = PLOT_NO_LINE},
    {"hbonds", NULL, "numbers of hydrogen bonds", "hydrogen bonds", "", .line = PLOT_NO_LINE},
    {"shell", NULL, "numbers of atoms in a shell", "atoms in the shell", "", .line = PLOT_NO_LINE},
    {"tetrahedrality.mean", NULL, "tetrahedral order", "q", "", .line = PLOT_NO_LINE},
    {"sasa", NULL, "accessible surfaces", "accessible surface", "Å²", .line = PLOT_NO_LINE},
    {"contact_share", NULL, "contact maps", "share of frames in contact", "", .line = PLOT_NO_LINE},
    {"pair_distance", NULL, "distance maps", "mean distance", "Å", .line = PLOT_NO_LINE},
    {"pair_rmsd", NULL, "deviations of pairs of frames", "RMSD", "Å", .line = PLOT_NO_LINE},
    {"rmsf", NULL, "fluctuations", "RMSF", "Å", .line = PLOT_NO_LINE},
    {"cluster", NULL, "clusters of frames", "cluster", "", .line = PLOT_NO_LINE},
    {"pc", NULL, "projections on principal components", "projection", "Å", .line = PLOT_LINE_AT_ZERO},
    {"pc_mass", NULL, "projections on principal components", "projection", "u½ Å", .line = PLOT_LINE_AT_ZERO},
    {"charge", NULL, "charges", "charge", "e", .line = PLOT_NO_LINE},
    {"dipole.total", NULL, "dipole moments", "dipole moment", "D", .line = PLOT_NO_LINE},
    {"box_dipole.total", NULL, "dipole moments of the cell", "dipole moment of the cell", "D", .line = PLOT_NO_LINE},
    {"volume", NULL, "volumes", "volume", "Å³", .line = PLOT_NO_LINE},
    {"density", NULL, "densities", "density", "g cm⁻³", .line = PLOT_NO_LINE},
    // Correlations of trjcorr, their integrals, and their spectra.
    {"msd.total", NULL, "mean square displacements", "MSD", "Å²", .label = "total", .line = PLOT_NO_LINE,
     .log_axes = true},
    {"msd.x", NULL, "mean square displacements", "MSD", "Å²", .label = "x", .line = PLOT_NO_LINE, .log_axes = true,
     .on_request = true},
    {"msd.y", NULL, "mean square displacements", "MSD", "Å²", .label = "y", .line = PLOT_NO_LINE, .log_axes = true,
     .on_request = true},
    {"msd.z", NULL, "mean square displacements", "MSD", "Å²", .label = "z", .line = PLOT_NO_LINE, .log_axes = true,
     .on_request = true},
    {"conductivity.total", NULL, "collective displacements", "⟨ΔP²⟩", "e² Å²", .label = "total", .line = PLOT_NO_LINE,
     .log_axes = true},
    {"conductivity.x", NULL, "collective displacements", "⟨ΔP²⟩", "e² Å²", .label = "x", .line = PLOT_NO_LINE,
     .log_axes = true, .on_request = true},
    {"conductivity.y", NULL, "collective displacements", "⟨ΔP²⟩", "e² Å²", .label = "y", .line = PLOT_NO_LINE,
     .log_axes = true, .on_request = true},
    {"conductivity.z", NULL, "collective displacements", "⟨ΔP²⟩", "e² Å²", .label = "z", .line = PLOT_NO_LINE,
     .log_axes = true, .on_request = true},
    // The columns conductivity.total and so on, if they are those of the current (plot_quantity_of_current).
    {"current.total", NULL, "correlations of the current", "⟨J(0) J(t)⟩", "e² Å² ps⁻²", .label = "total",
     .line = PLOT_LINE_AT_ZERO},
    {"current.x", NULL, "correlations of the current", "⟨J(0) J(t)⟩", "e² Å² ps⁻²", .label = "x",
     .line = PLOT_LINE_AT_ZERO, .on_request = true},
    {"current.y", NULL, "correlations of the current", "⟨J(0) J(t)⟩", "e² Å² ps⁻²", .label = "y",
     .line = PLOT_LINE_AT_ZERO, .on_request = true},
    {"current.z", NULL, "correlations of the current", "⟨J(0) J(t)⟩", "e² Å² ps⁻²", .label = "z",
     .line = PLOT_LINE_AT_ZERO, .on_request = true},
    {"conductivity.sigma", NULL, "running conductivities", "σ(t)", "S m⁻¹", .label = "total", .line = PLOT_LINE_AT_ZERO,
     .integral = true},
    {"conductivity.sigma_x", NULL, "running conductivities", "σ(t)", "S m⁻¹", .label = "x", .line = PLOT_LINE_AT_ZERO,
     .on_request = true, .integral = true},
    {"conductivity.sigma_y", NULL, "running conductivities", "σ(t)", "S m⁻¹", .label = "y", .line = PLOT_LINE_AT_ZERO,
     .on_request = true, .integral = true},
    {"conductivity.sigma_z", NULL, "running conductivities", "σ(t)", "S m⁻¹", .label = "z", .line = PLOT_LINE_AT_ZERO,
     .on_request = true, .integral = true},
    {"vacf.total", NULL, "velocity autocorrelations", "⟨v(0) v(t)⟩", "Å² ps⁻²", .label = "total",
     .line = PLOT_LINE_AT_ZERO},
    {"vacf.x", NULL, "velocity autocorrelations", "⟨v(0) v(t)⟩", "Å² ps⁻²", .label = "x", .line = PLOT_LINE_AT_ZERO,
     .on_request = true},
    {"vacf.y", NULL, "velocity autocorrelations", "⟨v(0) v(t)⟩", "Å² ps⁻²", .label = "y", .line = PLOT_LINE_AT_ZERO,
     .on_request = true},
    {"vacf.z", NULL, "velocity autocorrelations", "⟨v(0) v(t)⟩", "Å² ps⁻²", .label = "z", .line = PLOT_LINE_AT_ZERO,
     .on_request = true},
    {"vacf.D", NULL, "running diffusion coefficients", "D(t)", "10⁻⁵ cm² s⁻¹", .line = PLOT_LINE_AT_ZERO,
     .integral = true},
    {"reorient.C1", NULL, "reorientations", "C(t)", "", .label = "C₁", .line = PLOT_LINE_AT_ZERO},
    {"reorient.C2", NULL, "reorientations", "C(t)", "", .label = "C₂", .line = PLOT_LINE_AT_ZERO},
    {"reorient.tau1", NULL, "running correlation times", "τ(t)", "ps", .label = "C₁", .line = PLOT_LINE_AT_ZERO,
     .integral = true},
    {"reorient.tau2", NULL, "running correlation times", "τ(t)", "ps", .label = "C₂", .line = PLOT_LINE_AT_ZERO,
     .integral = true},
    {"survival.intermittent", NULL, "survival", "S(t)", "", .label = "intermittent", .line = PLOT_LINE_AT_ZERO},
    {"survival.continuous", NULL, "survival", "S(t)", "", .label = "continuous", .line = PLOT_LINE_AT_ZERO},
    {"hbond_lifetime.intermittent", NULL, "survival", "S(t)", "", .label = "intermittent", .line = PLOT_LINE_AT_ZERO},
    {"hbond_lifetime.continuous", NULL, "survival", "S(t)", "", .label = "continuous", .line = PLOT_LINE_AT_ZERO},
    {"contact_lifetime.intermittent", NULL, "survival", "S(t)", "", .label = "intermittent", .line = PLOT_LINE_AT_ZERO},
    {"contact_lifetime.continuous", NULL, "survival", "S(t)", "", .label = "continuous", .line = PLOT_LINE_AT_ZERO},
    {"survival.tau_intermittent", NULL, "running lifetimes", "τ(t)", "ps", .label = "intermittent",
     .line = PLOT_LINE_AT_ZERO, .integral = true},
    {"survival.tau_continuous", NULL, "running lifetimes", "τ(t)", "ps", .label = "continuous",
     .line = PLOT_LINE_AT_ZERO, .integral = true},
    {"hbond_lifetime.tau_intermittent", NULL, "running lifetimes", "τ(t)", "ps", .label = "intermittent",
     .line = PLOT_LINE_AT_ZERO, .integral = true},
    {"hbond_lifetime.tau_continuous", NULL, "running lifetimes", "τ(t)", "ps", .label = "continuous",
     .line = PLOT_LINE_AT_ZERO, .integral = true},
    {"contact_lifetime.tau_intermittent", NULL, "running lifetimes", "τ(t)", "ps", .label = "intermittent",
     .line = PLOT_LINE_AT_ZERO, .integral = true},
    {"contact_lifetime.tau_continuous", NULL, "running lifetimes", "τ(t)", "ps", .label = "continuous",
     .line = PLOT_LINE_AT_ZERO, .integral = true},
    {"dielectric.M2", NULL, "dipole fluctuations", "⟨δM(0) δM(t)⟩", "D²", .line = PLOT_LINE_AT_ZERO},
    {"dielectric.integral", NULL, "running integrals", "integral", "D² ps", .line = PLOT_LINE_AT_ZERO,
     .integral = true},
    {"epsilon", NULL, "dielectric constants of the first frames", "ε", "", .line = PLOT_NO_LINE},
    {"acf", NULL, "autocorrelations", "autocorrelation", "", .line = PLOT_LINE_AT_ZERO, .from_table = true},
    {"acf.integral", NULL, "running integrals", "integral", "", .line = PLOT_LINE_AT_ZERO, .integral = true,
     .from_table = true},
    {"acf.vector", NULL, "autocorrelations", "autocorrelation", "", .label = "vector", .line = PLOT_LINE_AT_ZERO,
     .from_table = true},
    {"acf.vector_integral", NULL, "running integrals", "integral", "", .label = "vector", .line = PLOT_LINE_AT_ZERO,
     .integral = true, .from_table = true},
    {"acf.x", NULL, "autocorrelations", "autocorrelation", "", .label = "x", .line = PLOT_LINE_AT_ZERO,
     .on_request = true, .from_table = true},
    {"acf.y", NULL, "autocorrelations", "autocorrelation", "", .label = "y", .line = PLOT_LINE_AT_ZERO,
     .on_request = true, .from_table = true},
    {"acf.z", NULL, "autocorrelations", "autocorrelation", "", .label = "z", .line = PLOT_LINE_AT_ZERO,
     .on_request = true, .from_table = true},
    {"acf.total", NULL, "autocorrelations", "autocorrelation", "", .label = "total", .line = PLOT_LINE_AT_ZERO,
     .on_request = true, .from_table = true},
    {"acf.x_integral", NULL, "running integrals", "integral", "", .label = "x", .line = PLOT_LINE_AT_ZERO,
     .on_request = true, .integral = true, .from_table = true},
    {"acf.y_integral", NULL, "running integrals", "integral", "", .label = "y", .line = PLOT_LINE_AT_ZERO,
     .on_request = true, .integral = true, .from_table = true},
    {"acf.z_integral", NULL, "running integrals", "integral", "", .label = "z", .line = PLOT_LINE_AT_ZERO,
     .on_request = true, .integral = true, .from_table = true},
    {"acf.total_integral", NULL, "running integrals", "integral", "", .label = "total", .line = PLOT_LINE_AT_ZERO,
     .on_request = true, .integral = true, .from_table = true},
    {"acf.*_integral", NULL, "running integrals", "integral", "", .line = PLOT_LINE_AT_ZERO, .integral = true,
     .from_table = true},
    {"acf.*", NULL, "autocorrelations", "autocorrelation", "", .line = PLOT_LINE_AT_ZERO, .from_table = true},
    {"spectrum.vacf.total", NULL, "velocity spectra", "spectrum", "Å² ps⁻¹", .label = "total",
     .line = PLOT_LINE_AT_ZERO},
    {"spectrum.vacf.x", NULL, "velocity spectra", "spectrum", "Å² ps⁻¹", .label = "x", .line = PLOT_LINE_AT_ZERO,
     .on_request = true},
    {"spectrum.vacf.y", NULL, "velocity spectra", "spectrum", "Å² ps⁻¹", .label = "y", .line = PLOT_LINE_AT_ZERO,
     .on_request = true},
    {"spectrum.vacf.z", NULL, "velocity spectra", "spectrum", "Å² ps⁻¹", .label = "z", .line = PLOT_LINE_AT_ZERO,
     .on_request = true},
    {"spectrum.conductivity.total", NULL, "spectra of the conductivity", "σ(ν)", "", .label = "total",
     .line = PLOT_LINE_AT_ZERO, .from_table = true},
    {"spectrum.conductivity.x", NULL, "spectra of the conductivity", "σ(ν)", "", .label = "x",
     .line = PLOT_LINE_AT_ZERO, .on_request = true, .from_table = true},
    {"spectrum.conductivity.y", NULL, "spectra of the conductivity", "σ(ν)", "", .label = "y",
     .line = PLOT_LINE_AT_ZERO, .on_request = true, .from_table = true},
    {"spectrum.conductivity.z", NULL, "spectra of the conductivity", "σ(ν)", "", .label = "z",
     .line = PLOT_LINE_AT_ZERO, .on_request = true, .from_table = true},
    {"spectrum.reorient.C1", NULL, "spectra of reorientation", "spectrum", "ps", .label = "C₁",
     .line = PLOT_LINE_AT_ZERO},
    {"spectrum.reorient.C2", NULL, "spectra of reorientation", "spectrum", "ps", .label = "C₂",
     .line = PLOT_LINE_AT_ZERO},
    {"spectrum.survival.intermittent", NULL, "spectra of survival", "spectrum", "ps", .label = "intermittent",
     .line = PLOT_LINE_AT_ZERO},
    {"spectrum.survival.continuous", NULL, "spectra of survival", "spectrum", "ps", .label = "continuous",
     .line = PLOT_LINE_AT_ZERO},
    {"spectrum.hbond_lifetime.intermittent", NULL, "spectra of survival", "spectrum", "ps", .label = "intermittent",
     .line = PLOT_LINE_AT_ZERO},
    {"spectrum.hbond_lifetime.continuous", NULL, "spectra of survival", "spectrum", "ps", .label = "continuous",
     .line = PLOT_LINE_AT_ZERO},
    {"spectrum.contact_lifetime.intermittent", NULL, "spectra of survival", "spectrum", "ps", .label = "intermittent",
     .line = PLOT_LINE_AT_ZERO},
    {"spectrum.contact_lifetime.continuous", NULL, "spectra of survival", "spectrum", "ps", .label = "continuous",
     .line = PLOT_LINE_AT_ZERO},
    {"spectrum.dielectric.M2", NULL, "spectra of dipole fluctuations", "spectrum", "D² ps", .line = PLOT_LINE_AT_ZERO},
    {"spectrum.acf", NULL, "spectra of observables", "spectrum", "", .line = PLOT_LINE_AT_ZERO, .from_table = true},
    {"spectrum.acf.vector", NULL, "spectra of observables", "spectrum", "", .label = "vector",
     .line = PLOT_LINE_AT_ZERO, .from_table = true},
    {"spectrum.acf.x", NULL, "spectra of observables", "spectrum", "", .label = "x", .line = PLOT_LINE_AT_ZERO,
     .on_request = true, .from_table = true},
    {"spectrum.acf.y", NULL, "spectra of observables", "spectrum", "", .label = "y", .line = PLOT_LINE_AT_ZERO,
     .on_request = true, .from_table = true},
    {"spectrum.acf.z", NULL, "spectra of observables", "spectrum", "", .label = "z", .line = PLOT_LINE_AT_ZERO,
     .on_request = true, .from_table = true},
    {"spectrum.acf.total", NULL, "spectra of observables", "spectrum", "", .label = "total", .line = PLOT_LINE_AT_ZERO,
     .on_request = true, .from_table = true},
    {"spectrum.acf.*", NULL, "spectra of observables", "spectrum", "", .line = PLOT_LINE_AT_ZERO, .from_table = true},
    // Profiles of trjstat.
    {"number_density", NULL, "number densities", "number density", "Å⁻³", .line = PLOT_NO_LINE},
    {"mass_density", NULL, "mass densities", "mass density", "g cm⁻³", .line = PLOT_NO_LINE},
    {"charge_density", NULL, "charge densities", "charge density", "e Å⁻³", .line = PLOT_LINE_AT_ZERO},
    {"P1", NULL, "mean cosines", "P₁ = ⟨cos θ⟩", "", .line = PLOT_LINE_AT_ZERO},
    {"P2", NULL, "orientational order", "P₂ = ⟨(3 cos²θ − 1)/2⟩", "", .line = PLOT_LINE_AT_ZERO},
    {"molecules", NULL, "numbers of molecules", "molecules in the bin", "", .line = PLOT_NO_LINE},
    {"vectors", NULL, "numbers of vectors", "vectors in the bin", "", .line = PLOT_NO_LINE},
    // Histograms of trjstat.
    {"p", NULL, "probability densities", "probability density", "", .line = PLOT_NO_LINE, .per_bin = true},
    {"free_energy", NULL, "free energies", "free energy", "kJ mol⁻¹", .line = PLOT_NO_LINE},
    {"values", NULL, "numbers of values", "values in the bin", "", .line = PLOT_NO_LINE},
    // Profiles of mapmath, whose quantity and unit are in the brackets.
    {"mean", NULL, "profiles", "mean", "", .line = PLOT_NO_LINE},
    {"sum", NULL, "profiles", "sum", "", .line = PLOT_NO_LINE},
    {"integral", NULL, "profiles", "integral", "", .line = PLOT_NO_LINE},
};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

const char *plot_residue_find(const char *column) {
    const char *found = NULL;
    if (!*column || column[strlen(column) - 1] != ']') return NULL;
    for (const char *next = column; (next = strstr(next, ")[")); next++) found = next + 2;
    return found;
}

// Returns whether the first n bytes of a name are those of a pattern, in which "*" is any text.
static bool matches(const char *pattern, const char *name, size_t n) {
    const char *star = strchr(pattern, '*');
    const size_t before = star ? (size_t)(star - pattern) : strlen(pattern), after = star ? strlen(star + 1) : 0;
    if (star ? n <= before + after : n != before) return false;
    return !memcmp(pattern, name, before) && (!star || !memcmp(star + 1, name + n - after, after));
}

const struct plot_quantity *plot_quantity_find(const char *column, const char **pair, size_t *length) {
    const char *residue = plot_residue_find(column);
    size_t all = residue ? (size_t)(residue - column) - 1 : strlen(column), n = strcspn(column, "(");
    if (!all || n == all || column[all - 1] != ')') return NULL;
    *pair = column + n + 1;
    *length = all - n - 2;
    for (const struct plot_quantity *q = quantities; q < quantities + QUANTITIES; q++)
        if (matches(q->column, column, n) &&
            (!q->bracket || (strlen(q->bracket) == *length && !memcmp(q->bracket, *pair, *length))))
            return q;
    return NULL;
}

const struct plot_quantity *plot_quantity_of_current(const struct plot_quantity *q, const char *unit) {
    static const char function[] = "conductivity.", current[] = "current.";
    const size_t n = sizeof function - 1;
    if (!unit || strcmp(unit, "e^2 Angstrom^2/ps^2") != 0 || strncmp(q->column, function, n) != 0) return q;
    for (const struct plot_quantity *p = quantities; p < quantities + QUANTITIES; p++)
        if (!strncmp(p->column, current, sizeof current - 1) && !strcmp(p->column + sizeof current - 1, q->column + n))
            return p;
    return q;
}

bool plot_quantity_shares_axis(const struct plot_quantity *a, const struct plot_quantity *b) {
    return !strcmp(a->symbol, b->symbol) && !strcmp(a->unit, b->unit);
}

const char *plot_axis_find(const char *column) {
    static const char *const axes[][2] = {{"residue_a", "residue (number from 0)"},
                                          {"atom_a", "atom (number from 0)"},
                                          {"frame_a", "frame"},
                                          {"r", "r / Å"},
                                          {"r_lo", "r / Å"},
                                          {"q", "q / Å⁻¹"},
                                          {"x", "x / Å"},
                                          {"y", "y / Å"},
                                          {"z", "z / Å"},
                                          {"frame", "frame"},
                                          {"time", "time / ps"},
                                          {"s", "s / Å⁻¹"},
                                          {"n", "number of neighbours"},
                                          {"theta", "θ / °"},
                                          {"record", "record"},
                                          {"wavenumber", "wavenumber / cm⁻¹"},
                                          {"lag", "lag / frames"},
                                          {"frames", "frames from the first one on"},
                                          {"cos", "cos θ"},
                                          {"dx", "Δx / Å"},
                                          {"dy", "Δy / Å"},
                                          {"dz", "Δz / Å"}};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        if (!strcmp(axes[i][0], column)) return axes[i][1];
    return NULL;
}
