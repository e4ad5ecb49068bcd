/** The page for writing: its requests, and what a browser shows. */
@NullMarked
package io.github.stablecut.examples.write;

import org.jspecify.annotations.NullMarked;
