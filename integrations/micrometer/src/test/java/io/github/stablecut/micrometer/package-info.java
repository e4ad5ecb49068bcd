/** Tests of a store's metrics. */
@NullMarked
package io.github.stablecut.micrometer;

import org.jspecify.annotations.NullMarked;
