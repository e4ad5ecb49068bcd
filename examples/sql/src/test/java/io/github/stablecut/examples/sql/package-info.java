@NullMarked
package io.github.stablecut.examples.sql;

import org.jspecify.annotations.NullMarked;
