// Computes the segments of a recipe in processes of their own, and merges them.
// Start it in the folder of the recipe:  nextflow run main.nf
params.recipe = "$launchDir/water.yaml"
params.segments = 4

process SEGMENT {
    input:
    val k

    output:
    val k

    script:
    """
    SLURM_CPUS_PER_TASK=$task.cpus trjrun --segment $k '${params.recipe}'
    """
}

process MERGE {
    input:
    val segments

    script:
    """
    trjrun --merge '${params.recipe}'
    """
}

workflow {
    MERGE(SEGMENT(Channel.of(1..params.segments)).collect())
}
