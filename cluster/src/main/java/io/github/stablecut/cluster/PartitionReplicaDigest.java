package io.github.stablecut.cluster;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
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
  /** Starts a digest. */
  public static Builder builder(int partition, String replica) {
    return new Builder(partition, replica);
  }

  /** Copies the list. */
  public PartitionReplicaDigest {
    voters = List.copyOf(voters);
  }

  /**
   * Builds a {@link PartitionReplicaDigest}. Its methods set the components of the same names;
   * without them, numbers are 0, texts and lists are empty, and flags are false. Not thread-safe.
   */
  public static final class Builder {
    private final int partition;
    private final String replica;
    private long epoch;
    private List<String> voters = List.of();
    private String checkpoint = "";
    private long objects;
    private long large;
    private String hash = "";

    private Builder(int partition, String replica) {
      this.partition = partition;
      this.replica = replica;
    }

    @CanIgnoreReturnValue
    public Builder epoch(long epoch) {
      this.epoch = epoch;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder voters(List<String> voters) {
      this.voters = voters;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder checkpoint(String checkpoint) {
      this.checkpoint = checkpoint;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder objects(long objects) {
      this.objects = objects;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder large(long large) {
      this.large = large;
      return this;
    }

    @CanIgnoreReturnValue
    public Builder hash(String hash) {
      this.hash = hash;
      return this;
    }

    public PartitionReplicaDigest build() {
      return new PartitionReplicaDigest(
          partition, replica, epoch, voters, checkpoint, objects, large, hash);
    }
  }
}
