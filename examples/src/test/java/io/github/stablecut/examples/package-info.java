/** The applications' common parts, their scripts and what the documents say of them. */
@NullMarked
package io.github.stablecut.examples;

import org.jspecify.annotations.NullMarked;
