package io.github.stablecut.examples.scalardb;

import com.scalar.db.api.DistributedStorageAdminCaseSensitivityIntegrationTestBase;
import com.scalar.db.api.DistributedStorageAdminIntegrationTestBase;
import com.scalar.db.api.DistributedStorageAdminRepairTableIntegrationTestBase;
import com.scalar.db.schemaloader.SchemaLoaderIntegrationTestBase;
import com.scalar.db.util.AdminTestUtils;
import io.github.stablecut.examples.scalardb.testing.CatalogueDamage;
import java.util.Properties;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Runs ScalarDB's administration suites. */
final class AdminSuitesTest {
  private static AdminTestUtils damage(String suite) {
    return new CatalogueDamage(SuiteStores.properties(suite), SuiteStores.store(suite));
  }

  @Nested
  @Tag("suites")
  class Admin extends DistributedStorageAdminIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("Admin");
    }

    @Override
    protected String getSystemNamespaceName(Properties properties) {
      return VirtualTables.NAMESPACE;
    }

    @Override
    protected AdminTestUtils getAdminTestUtils(String testName) {
      return damage("Admin");
    }
  }

  @Nested
  @Tag("suites")
  class AdminCaseSensitivity extends DistributedStorageAdminCaseSensitivityIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("AdminCaseSensitivity");
    }

    @Override
    protected String getSystemNamespaceName(Properties properties) {
      return VirtualTables.NAMESPACE;
    }

    @Override
    protected AdminTestUtils getAdminTestUtils(String testName) {
      return damage("AdminCaseSensitivity");
    }
  }

  @Nested
  class AdminRepairTable extends DistributedStorageAdminRepairTableIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("AdminRepairTable");
    }

    @Override
    protected AdminTestUtils getAdminTestUtils(String testName) {
      return damage("AdminRepairTable");
    }
  }

  @Nested
  @Tag("suites")
  class SchemaLoader extends SchemaLoaderIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("SchemaLoader");
    }

    @Override
    protected AdminTestUtils getAdminTestUtils(String testName) {
      return damage("SchemaLoader");
    }
  }
}
