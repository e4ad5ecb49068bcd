/** Tests of the order, the completeness and the limits of the changes that watches deliver. */
@org.jspecify.annotations.NullMarked
package io.github.stablecut.internal.watch;
