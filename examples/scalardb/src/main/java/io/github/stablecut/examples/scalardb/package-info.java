/**
 * Stablecut as a storage of ScalarDB, so that ScalarDB's transactions (Consensus Commit) run on
 * tables of Stablecut. Set {@code scalar.db.storage=stablecut}, and {@code
 * scalar.db.contact_points} to a directory or a URI of {@link
 * io.github.stablecut.map.TableMap#open}. The only user of ScalarDB.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.scalardb;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
