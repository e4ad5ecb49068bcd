package io.github.stablecut;

/**
 * The result of {@link Store#deleteRange}. Immutable.
 *
 * @param deleted the number of deleted objects
 * @param kept the number of objects that remain, because plain and bounded counters, counter maps,
 *     streams, and grow-only sets and maps have no deletion ({@link
 *     io.github.stablecut.crdt.CrdtType#deletion})
 * @param token a point whose snapshot contains the deletions
 */
public record DeleteRangeResult(long deleted, long kept, CausalToken token) {}
