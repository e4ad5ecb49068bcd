package io.github.stablecut.internal.link;

/**
 * A data centre's description of itself. Immutable.
 *
 * @param group the id of the store that founded its group
 * @param store the id of its store
 * @param number its number in the group
 * @param partitions the number of the store's partitions
 * @param isNew whether the group has no other member and nothing was ever written to the store
 */
public record DataCentreInfo(long group, long store, int number, int partitions, boolean isNew) {}
