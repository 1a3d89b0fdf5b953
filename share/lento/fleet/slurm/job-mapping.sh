#!/bin/sh
# Tells dcgm-exporter which job has which GPU of this node. One script for both lines of slurm.conf:
#   Prolog=/usr/share/lento/fleet/slurm/job-mapping.sh
#   Epilog=/usr/share/lento/fleet/slurm/job-mapping.sh
# dcgm-exporter is started with --hpc-job-mapping-dir=/var/lib/dcgm-jobs and adds the label hpc_job. A file is named
# by a GPU's number and holds one job a line. Never fails: a node must not be drained for want of a label.
set -u
folder=${DCGM_HPC_JOB_MAPPING_DIR:-/var/lib/dcgm-jobs}
mkdir -p "$folder" || exit 0
for gpu in $(printf '%s' "${SLURM_JOB_GPUS:-}" | tr ',' ' '); do
  case $gpu in *[!0-9.]*) continue ;; esac
  file=$folder/$gpu
  new=$folder/.$gpu.$$
  grep -vxF "$SLURM_JOB_ID" "$file" 2>/dev/null >"$new"
  case ${SLURM_SCRIPT_CONTEXT:-} in prolog*) echo "$SLURM_JOB_ID" >>"$new" ;; esac
  if [ -s "$new" ]; then mv "$new" "$file"; else rm -f "$new" "$file"; fi
done
exit 0
