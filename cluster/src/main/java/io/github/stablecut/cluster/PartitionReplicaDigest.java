package io.github.stablecut.cluster;

import java.util.List;

/**
 * A digest of a replica's newest checkpoint: two replicas with the same checkpoint of a partition
 * have the same objects if their hashes are equal. Immutable.
 *
 * @param partition the partition's number
 * @param replica the name of the replica
 * @param epoch the epoch of the configuration that the replica leads; 0 if it does not lead
 * @param voters the names of the voters of that epoch, all of which are compared; empty if the
 *     replica does not lead
 * @param checkpoint identifies the checkpoint among those of the partition; empty if the replica
 *     has none yet
 * @param objects how many objects the checkpoint has
 * @param large how many of them are larger than 8 MiB; only their names and types are in the hash
 * @param hash the hash over all objects, in hexadecimal digits
 */
public record PartitionReplicaDigest(
    int partition,
    String replica,
    long epoch,
    List<String> voters,
    String checkpoint,
    long objects,
    long large,
    String hash) {
  /** Copies the list. */
  public PartitionReplicaDigest {
    voters = List.copyOf(voters);
  }
}
