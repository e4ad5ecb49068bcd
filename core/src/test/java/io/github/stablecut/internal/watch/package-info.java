/** Tests of the order, the completeness and the limits of what watches are told. */
@org.jspecify.annotations.NullMarked
package io.github.stablecut.internal.watch;
