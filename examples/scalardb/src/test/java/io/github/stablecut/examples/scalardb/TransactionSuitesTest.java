package io.github.stablecut.examples.scalardb;

import com.scalar.db.transaction.consensuscommit.ConsensusCommitAdminIntegrationTestBase;
import com.scalar.db.transaction.consensuscommit.ConsensusCommitAdminRepairTableIntegrationTestBase;
import com.scalar.db.transaction.consensuscommit.ConsensusCommitCrossPartitionScanIntegrationTestBase;
import com.scalar.db.transaction.consensuscommit.ConsensusCommitIntegrationTestBase;
import com.scalar.db.transaction.consensuscommit.ConsensusCommitNullMetadataIntegrationTestBase;
import com.scalar.db.transaction.consensuscommit.ConsensusCommitSpecificIntegrationTestBase;
import com.scalar.db.transaction.consensuscommit.ConsensusCommitSpecificWithMetadataDecouplingIntegrationTestBase;
import com.scalar.db.transaction.consensuscommit.ConsensusCommitWithIncludeMetadataEnabledIntegrationTestBase;
import com.scalar.db.transaction.consensuscommit.ConsensusCommitWithMetadataDecouplingIntegrationTestBase;
import com.scalar.db.transaction.consensuscommit.CoordinatorStateAccessor;
import com.scalar.db.transaction.consensuscommit.DistributedTransactionBackedConsensusCommitGlobalTransactionTestBase;
import com.scalar.db.transaction.consensuscommit.TwoPhaseCommitBackedConsensusCommitCrossPartitionScanIntegrationTestBase;
import com.scalar.db.transaction.consensuscommit.TwoPhaseCommitBackedConsensusCommitGlobalTransactionTestBase;
import com.scalar.db.transaction.consensuscommit.TwoPhaseCommitBackedConsensusCommitIntegrationTestBase;
import com.scalar.db.transaction.consensuscommit.TwoPhaseConsensusCommitCrossPartitionScanIntegrationTestBase;
import com.scalar.db.transaction.consensuscommit.TwoPhaseConsensusCommitIntegrationTestBase;
import com.scalar.db.transaction.consensuscommit.TwoPhaseConsensusCommitSpecificIntegrationTestBase;
import com.scalar.db.transaction.consensuscommit.TwoPhaseConsensusCommitWithIncludeMetadataEnabledIntegrationTestBase;
import com.scalar.db.transaction.singlecrudoperation.SingleCrudOperationTransactionAdminIntegrationTestBase;
import com.scalar.db.transaction.singlecrudoperation.SingleCrudOperationTransactionIntegrationTestBase;
import com.scalar.db.util.AdminTestUtils;
import io.github.stablecut.examples.scalardb.testing.CatalogueDamage;
import java.util.Properties;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Runs ScalarDB's transaction suites. */
final class TransactionSuitesTest {
  @Nested
  @Tag("suites")
  class SingleCrudOperation extends SingleCrudOperationTransactionIntegrationTestBase {
    @Override
    protected Properties getProps(String testName) {
      return SuiteStores.properties("SingleCrudOperation");
    }
  }

  @Nested
  @Tag("suites")
  class SingleCrudOperationAdmin extends SingleCrudOperationTransactionAdminIntegrationTestBase {
    @Override
    protected Properties getProps(String testName) {
      return SuiteStores.properties("SingleCrudOperationAdmin");
    }

    @Override
    protected String getSystemNamespaceName(Properties properties) {
      return VirtualTables.NAMESPACE;
    }
  }

  @Nested
  @Tag("suites")
  class ConsensusCommit extends ConsensusCommitIntegrationTestBase {
    @Override
    protected Properties getProps(String testName) {
      return SuiteStores.properties("ConsensusCommit");
    }
  }

  @Nested
  @Tag("suites")
  class ConsensusCommitSpecific extends ConsensusCommitSpecificIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("ConsensusCommitSpecific");
    }
  }

  @Nested
  class ConsensusCommitCrossPartitionScan
      extends ConsensusCommitCrossPartitionScanIntegrationTestBase {
    @Override
    protected Properties getProps(String testName) {
      return SuiteStores.properties("ConsensusCommitCrossPartitionScan");
    }
  }

  @Nested
  @Tag("suites")
  class ConsensusCommitNullMetadata extends ConsensusCommitNullMetadataIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("ConsensusCommitNullMetadata");
    }
  }

  @Nested
  @Tag("suites")
  class ConsensusCommitWithIncludeMetadataEnabled
      extends ConsensusCommitWithIncludeMetadataEnabledIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("ConsensusCommitWithIncludeMetadataEnabled");
    }
  }

  @Nested
  @Tag("suites")
  class ConsensusCommitWithMetadataDecoupling
      extends ConsensusCommitWithMetadataDecouplingIntegrationTestBase {
    @Override
    protected Properties getProps(String testName) {
      return SuiteStores.properties("ConsensusCommitWithMetadataDecoupling");
    }
  }

  @Nested
  @Tag("suites")
  class ConsensusCommitSpecificWithMetadataDecoupling
      extends ConsensusCommitSpecificWithMetadataDecouplingIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("ConsensusCommitSpecificWithMetadataDecoupling");
    }
  }

  @Nested
  @Tag("suites")
  class ConsensusCommitAdmin extends ConsensusCommitAdminIntegrationTestBase {
    @Override
    protected String getCoordinatorNamespaceName(String testName) {
      return CoordinatorStateAccessor.NAMESPACE;
    }

    @Override
    protected Properties getProps(String testName) {
      return SuiteStores.properties("ConsensusCommitAdmin");
    }

    @Override
    protected String getSystemNamespaceName(Properties properties) {
      return VirtualTables.NAMESPACE;
    }
  }

  @Nested
  @Tag("suites")
  class ConsensusCommitAdminRepairTable extends ConsensusCommitAdminRepairTableIntegrationTestBase {
    @Override
    protected Properties getProps(String testName) {
      return SuiteStores.properties("ConsensusCommitAdminRepairTable");
    }

    @Override
    protected AdminTestUtils getAdminTestUtils(String testName) {
      return new CatalogueDamage(
          SuiteStores.properties("ConsensusCommitAdminRepairTable"),
          SuiteStores.store("ConsensusCommitAdminRepairTable"));
    }
  }

  @Nested
  @Tag("suites")
  class TwoPhaseConsensusCommit extends TwoPhaseConsensusCommitIntegrationTestBase {
    @Override
    protected Properties getProps1(String testName) {
      return SuiteStores.properties("TwoPhaseConsensusCommit");
    }
  }

  @Nested
  @Tag("suites")
  class TwoPhaseConsensusCommitSpecific extends TwoPhaseConsensusCommitSpecificIntegrationTestBase {
    @Override
    protected Properties getProperties1(String testName) {
      return SuiteStores.properties("TwoPhaseConsensusCommitSpecific");
    }
  }

  @Nested
  @Tag("suites")
  class TwoPhaseConsensusCommitCrossPartitionScan
      extends TwoPhaseConsensusCommitCrossPartitionScanIntegrationTestBase {
    @Override
    protected Properties getProps1(String testName) {
      return SuiteStores.properties("TwoPhaseConsensusCommitCrossPartitionScan");
    }
  }

  @Nested
  @Tag("suites")
  class TwoPhaseConsensusCommitWithIncludeMetadataEnabled
      extends TwoPhaseConsensusCommitWithIncludeMetadataEnabledIntegrationTestBase {
    @Override
    protected Properties getProperties(String testName) {
      return SuiteStores.properties("TwoPhaseConsensusCommitWithIncludeMetadataEnabled");
    }
  }

  @Nested
  @Tag("suites")
  class TwoPhaseCommitBackedConsensusCommit
      extends TwoPhaseCommitBackedConsensusCommitIntegrationTestBase {
    @Override
    protected Properties getFacadeStorageProperties(String testName) {
      return SuiteStores.properties("TwoPhaseCommitBackedConsensusCommit");
    }
  }

  @Nested
  @Tag("suites")
  class TwoPhaseCommitBackedConsensusCommitCrossPartitionScan
      extends TwoPhaseCommitBackedConsensusCommitCrossPartitionScanIntegrationTestBase {
    @Override
    protected Properties getFacadeStorageProperties(String testName) {
      return SuiteStores.properties("TwoPhaseCommitBackedConsensusCommitCrossPartitionScan");
    }
  }

  @Nested
  @Tag("suites")
  class TwoPhaseCommitBackedConsensusCommitGlobalTransaction
      extends TwoPhaseCommitBackedConsensusCommitGlobalTransactionTestBase {
    @Override
    protected Properties getProps(String testName) {
      return SuiteStores.properties("TwoPhaseCommitBackedConsensusCommitGlobalTransaction");
    }
  }

  @Nested
  @Tag("suites")
  class DistributedTransactionBackedConsensusCommitGlobalTransaction
      extends DistributedTransactionBackedConsensusCommitGlobalTransactionTestBase {
    @Override
    protected Properties getProps(String testName) {
      return SuiteStores.properties("DistributedTransactionBackedConsensusCommitGlobalTransaction");
    }
  }
}
