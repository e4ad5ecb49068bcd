/** The copies of a partition in a simulation of messages, crashes and time. */
@org.jspecify.annotations.NullMarked
package io.github.stablecut.internal.replica;
