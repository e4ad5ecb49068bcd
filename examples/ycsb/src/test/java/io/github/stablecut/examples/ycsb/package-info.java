/** The comparison by YCSB. */
@NullMarked
package io.github.stablecut.examples.ycsb;

import org.jspecify.annotations.NullMarked;
