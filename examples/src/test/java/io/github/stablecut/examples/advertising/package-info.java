/** The page with the plot of recorded views. */
@NullMarked
package io.github.stablecut.examples.advertising;

import org.jspecify.annotations.NullMarked;
