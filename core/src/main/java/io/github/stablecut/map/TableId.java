package io.github.stablecut.map;

/**
 * What a table keeps as long as it is there, whatever it is called. Immutable.
 *
 * @param id the first place of its records
 */
record TableId(String namespace, String id) {}
