/**
 * Tables and objects of a store, queried with SQL: at one snapshot, and only to look. Apache
 * Calcite parses, plans and executes the queries; this package shows it the tables. The only user
 * of Calcite.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.sql;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
