package io.github.stablecut.examples.scalardb;

import com.scalar.db.api.DistributedStorageCaseSensitivityIntegrationTestBase;
import com.scalar.db.api.DistributedStorageColumnValueIntegrationTestBase;
import com.scalar.db.api.DistributedStorageConditionalMutationIntegrationTestBase;
import com.scalar.db.api.DistributedStorageCrossPartitionScanIntegrationTestBase;
import com.scalar.db.api.DistributedStorageIntegrationTestBase;
import com.scalar.db.api.DistributedStorageJapaneseIntegrationTestBase;
import com.scalar.db.api.DistributedStorageMultipleClusteringKeyScanIntegrationTestBase;
import com.scalar.db.api.DistributedStorageMultiplePartitionKeyIntegrationTestBase;
import com.scalar.db.api.DistributedStorageMutationAtomicityUnitIntegrationTestBase;
import com.scalar.db.api.DistributedStorageSecondaryIndexIntegrationTestBase;
import com.scalar.db.api.DistributedStorageSingleClusteringKeyScanIntegrationTestBase;
import com.scalar.db.api.DistributedStorageSinglePartitionKeyIntegrationTestBase;
import com.scalar.db.api.DistributedStorageVirtualTablesIntegrationTestBase;
import com.scalar.db.api.DistributedStorageWithReservedKeywordIntegrationTestBase;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs ScalarDB's storage suites, which examples/scalardb/README.md describes. */
final class StorageSuitesTest {
  @Nested
  class Basic extends DistributedStorageIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("Basic");
    }
  }

  @Nested
  @Tag("suites")
  class ColumnValue extends DistributedStorageColumnValueIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("ColumnValue");
    }
  }

  @Nested
  class ConditionalMutation extends DistributedStorageConditionalMutationIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("ConditionalMutation");
    }

    /** One of two tests that take a minute each. */
    @Override
    @Test
    @Tag("suites")
    public void put_withPutIfWithMultipleConditions_shouldPutProperly()
        throws ExecutionException, InterruptedException {
      super.put_withPutIfWithMultipleConditions_shouldPutProperly();
    }

    @Override
    @Test
    @Tag("suites")
    public void delete_withDeleteIfWithMultipleConditions_shouldPutProperly()
        throws ExecutionException, InterruptedException {
      super.delete_withDeleteIfWithMultipleConditions_shouldPutProperly();
    }
  }

  @Nested
  class MutationAtomicityUnit extends DistributedStorageMutationAtomicityUnitIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("MutationAtomicityUnit");
    }
  }

  @Nested
  @Tag("suites")
  class SinglePartitionKey extends DistributedStorageSinglePartitionKeyIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("SinglePartitionKey");
    }
  }

  @Nested
  @Tag("suites")
  class MultiplePartitionKey extends DistributedStorageMultiplePartitionKeyIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("MultiplePartitionKey");
    }
  }

  @Nested
  @Tag("suites")
  class SingleClusteringKeyScan
      extends DistributedStorageSingleClusteringKeyScanIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("SingleClusteringKeyScan");
    }
  }

  @Nested
  @Tag("suites")
  class MultipleClusteringKeyScan
      extends DistributedStorageMultipleClusteringKeyScanIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("MultipleClusteringKeyScan");
    }
  }

  @Nested
  class SecondaryIndex extends DistributedStorageSecondaryIndexIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("SecondaryIndex");
    }
  }

  @Nested
  @Tag("suites")
  class CrossPartitionScan extends DistributedStorageCrossPartitionScanIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("CrossPartitionScan");
    }
  }

  @Nested
  @Tag("suites")
  class Japanese extends DistributedStorageJapaneseIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("Japanese");
    }
  }

  @Nested
  @Tag("suites")
  class CaseSensitivity extends DistributedStorageCaseSensitivityIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("CaseSensitivity");
    }
  }

  @Nested
  @Tag("suites")
  class WithReservedKeyword extends DistributedStorageWithReservedKeywordIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("WithReservedKeyword");
    }
  }

  @Nested
  class VirtualTables extends DistributedStorageVirtualTablesIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("VirtualTables");
    }
  }
}
