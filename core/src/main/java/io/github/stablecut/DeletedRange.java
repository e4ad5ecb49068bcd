package io.github.stablecut;

/**
 * What {@link Store#deleteRange} did. Immutable.
 *
 * @param deleted the number of objects that were deleted
 * @param kept the number of objects that are as they were, because there is no deletion of plain
 *     and bounded counters, counter maps, streams, and sets and maps that only grow ({@link
 *     io.github.stablecut.crdt.CrdtType#deletion})
 * @param token a point at which the deletions are seen
 */
public record DeletedRange(long deleted, long kept, CausalToken token) {}
