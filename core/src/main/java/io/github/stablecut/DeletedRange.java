package io.github.stablecut;

/**
 * What {@link Store#deleteRange} did. Immutable.
 *
 * @param deleted the number of objects that were deleted
 * @param kept the number of objects whose types have no deletion ({@link
 *     io.github.stablecut.crdt.CrdtType#deletion}) and that are as they were
 * @param token a point at which the deletions are seen
 */
public record DeletedRange(long deleted, long kept, CausalToken token) {}
