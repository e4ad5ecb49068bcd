package io.github.stablecut.cluster;

/**
 * What the newest checkpoint of a copy of a partition holds, in few bytes: two copies with the same
 * checkpoint of a partition hold the same if their hashes are the same. Immutable.
 *
 * @param partition its number
 * @param copy the name of the copy
 * @param checkpoint tells checkpoints of the partition apart
 * @param objects how many it holds
 * @param large those of more than 8 MiB, of which only the names and types are in the hash
 * @param hash of all, as hex digits
 */
public record PartitionCopyDigest(
    int partition, String copy, String checkpoint, long objects, long large, String hash) {}
