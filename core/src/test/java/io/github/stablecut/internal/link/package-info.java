/** Tests of this package. */
@org.jspecify.annotations.NullMarked
package io.github.stablecut.internal.link;
