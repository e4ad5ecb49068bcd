/** Tests of what a partition is made of. */
@NullMarked
package io.github.stablecut.internal.partition;

import org.jspecify.annotations.NullMarked;
