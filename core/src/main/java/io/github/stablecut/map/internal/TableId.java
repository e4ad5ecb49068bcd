package io.github.stablecut.map.internal;

/**
 * The identity of a table, which survives renaming. Immutable.
 *
 * @param id the first place of its records
 */
record TableId(String namespace, String id) {}
