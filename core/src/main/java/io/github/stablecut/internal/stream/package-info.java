/**
 * The transaction streams of a partition: the transactions of one data centre in the order of their
 * commit times, as the partition's journal has them, each linked to the one before it.
 */
@NullMarked
package io.github.stablecut.internal.stream;

import org.jspecify.annotations.NullMarked;
