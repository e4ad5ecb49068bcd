package io.github.stablecut.internal.link;

/**
 * What a data centre tells of itself. Immutable.
 *
 * @param group the store that its group has begun with
 * @param store the store that it is
 * @param number its number there
 * @param partitions how many the store has
 * @param isNew whether it is alone there and nothing was ever written to it
 */
public record DataCentreInfo(long group, long store, int number, int partitions, boolean isNew) {}
