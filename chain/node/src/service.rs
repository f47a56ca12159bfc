//! Starts a node: the database, the import of blocks, the peers, JSON-RPC, and on a validator Aura, which authors
//! blocks, beside GRANDPA, which makes them final.

use sc_client_api::BlockBackend;
use sc_consensus::DefaultImportQueue;
use sc_consensus_aura::{CompatibilityMode, ImportQueueParams, SlotProportion, StartAuraParams};
use sc_consensus_grandpa::{GrandpaPruningFilter, SharedVoterState, VotingRulesBuilder};
use sc_network::{config::NetworkBackendType, Litep2pNetworkBackend, NetworkBackend, NetworkWorker};
use sc_service::{
    error::Error, BuildNetworkParams, Configuration, KeystoreContainer, SpawnTasksParams, TaskManager, WarpSyncConfig,
};
use sc_transaction_pool::TransactionPoolHandle;
use sc_transaction_pool_api::OffchainTransactionPoolFactory;
use sp_consensus_aura::{
    inherents::InherentDataProvider as SlotInherent,
    sr25519::{AuthorityId as AuraId, AuthorityPair as AuraPair},
    SlotDuration,
};
use sp_core::H256;
use sp_timestamp::InherentDataProvider as TimeInherent;
use std::{sync::Arc, time::Duration};

use crate::{
    answers,
    rpc::{self, Finality},
    runtime_api::{Block, RuntimeApi},
};

type Executor = sc_executor::WasmExecutor<sp_io::SubstrateHostFunctions>;
/// Runs the chain's runtime and reads what is stored.
pub type Client = sc_service::TFullClient<Block, RuntimeApi, Executor>;
/// Blocks and state on disk.
pub type Backend = sc_service::TFullBackend<Block>;
/// Extrinsics that wait for a block.
pub type Pool = TransactionPoolHandle<Block, Client>;
/// The rule that names the best block.
pub type SelectChain = sc_consensus::LongestChain<Backend, Block>;
type BlockImport = sc_consensus_grandpa::GrandpaBlockImport<Backend, Block, Client, SelectChain>;
type GrandpaLink = sc_consensus_grandpa::LinkHalf<Block, Client, SelectChain>;

/// Every block keeps its justification: a proof of what the state said then stands on the block's own.
const JUSTIFICATION_PERIOD: u32 = 1;
/// The time that votes may be on their way: the rounds of GRANDPA are measured in it.
const GOSSIP_DURATION: Duration = Duration::from_millis(333);
/// The part of a slot in which a block is filled; the rest is for its way to the others.
const PROPOSAL_PORTION: f32 = 2.0 / 3.0;

/// Starts the node that the command line asks for. Its tasks run until the manager is dropped.
pub fn start(config: Configuration) -> Result<TaskManager, Error> {
    match config.network.network_backend {
        NetworkBackendType::Litep2p => run::<Litep2pNetworkBackend>(config),
        NetworkBackendType::Libp2p => run::<NetworkWorker<Block, H256>>(config),
    }
}

/// The parts of a node that stand before there are peers.
struct Parts {
    client: Arc<Client>,
    backend: Arc<Backend>,
    tasks: TaskManager,
    keystore: KeystoreContainer,
    select_chain: SelectChain,
    pool: Arc<Pool>,
    block_import: BlockImport,
    grandpa: GrandpaLink,
    import_queue: DefaultImportQueue<Block>,
}

fn run<Net: NetworkBackend<Block, H256>>(config: Configuration) -> Result<TaskManager, Error> {
    let Parts { client, backend, mut tasks, keystore, select_chain, pool, block_import, grandpa, import_queue } =
        open(&config)?;
    let registry = config.prometheus_registry().cloned();

    let metrics = Net::register_notification_metrics(registry.as_ref());
    let mut net_config =
        sc_network::config::FullNetworkConfiguration::<_, _, Net>::new(&config.network, registry.clone());
    let genesis = client.block_hash(0)?.ok_or_else(|| Error::Other("the database has no genesis".into()))?;
    let protocol_name = sc_consensus_grandpa::protocol_standard_name(&genesis, &config.chain_spec);
    let (grandpa_protocol, notifications) = sc_consensus_grandpa::grandpa_peers_set_config::<_, Net>(
        protocol_name.clone(),
        metrics.clone(),
        net_config.peer_store_handle(),
    );
    net_config.add_notification_protocol(grandpa_protocol);
    let warp_proofs = sc_consensus_grandpa::warp_proof::NetworkProvider::new(
        backend.clone(),
        grandpa.shared_authority_set().clone(),
        Vec::new(),
    );
    let (network, system_rpc_tx, tx_handler_controller, sync, _) = sc_service::build_network(BuildNetworkParams {
        config: &config,
        net_config,
        client: client.clone(),
        transaction_pool: pool.clone(),
        spawn_handle: tasks.spawn_handle(),
        spawn_essential_handle: tasks.spawn_essential_handle(),
        import_queue,
        block_announce_validator_builder: None,
        warp_sync_config: Some(WarpSyncConfig::WithProvider(Arc::new(warp_proofs))),
        block_relay: None,
        metrics,
        gap_sync_body_policy: None,
    })?;

    let role = config.role;
    let name = config.network.node_name.clone();
    let force_authoring = config.force_authoring;
    let votes_for_finality = !config.disable_grandpa;

    let votes = SharedVoterState::empty();
    let finality = Finality::of(&grandpa, backend.clone(), votes.clone());
    let rpc_builder = {
        let (client, pool) = (client.clone(), pool.clone());
        Box::new(move |executor| {
            rpc::methods(&client, &pool, &finality, executor).map_err(|error| Error::Application(error.into()))
        })
    };
    sc_service::spawn_tasks(SpawnTasksParams {
        config,
        client: client.clone(),
        backend,
        task_manager: &mut tasks,
        keystore: keystore.keystore(),
        transaction_pool: pool.clone(),
        rpc_builder,
        network: network.clone(),
        system_rpc_tx,
        tx_handler_controller,
        sync_service: sync.clone(),
        telemetry: None,
        tracing_execute_block: None,
    })?;
    answers::leave_at_once()?;

    if role.is_authority() {
        let proposer_factory = sc_basic_authorship::ProposerFactory::new(
            tasks.spawn_handle(),
            client.clone(),
            pool.clone(),
            registry.as_ref(),
            None,
        );
        let slot_duration = sc_consensus_aura::slot_duration::<AuraId, _, _>(&*client)?;
        let aura = sc_consensus_aura::start_aura::<AuraPair, _, _, _, _, _, _, _, _, _, _>(StartAuraParams {
            slot_duration,
            client,
            select_chain,
            block_import,
            proposer_factory,
            sync_oracle: sync.clone(),
            justification_sync_link: sync.clone(),
            create_inherent_data_providers: move |_, ()| async move { Ok(inherents(slot_duration)) },
            force_authoring,
            backoff_authoring_blocks: None::<()>,
            keystore: keystore.keystore(),
            block_proposal_slot_portion: SlotProportion::new(PROPOSAL_PORTION),
            max_block_proposal_slot_portion: None,
            telemetry: None,
            compatibility_mode: CompatibilityMode::default(),
        })?;
        tasks.spawn_essential_handle().spawn_blocking("aura", Some("block-authoring"), aura);
    }

    if votes_for_finality {
        // A node that is no validator runs the voter too, without keys: it follows the votes and finalises by them.
        let voter = sc_consensus_grandpa::run_grandpa_voter(sc_consensus_grandpa::GrandpaParams {
            config: sc_consensus_grandpa::Config {
                gossip_duration: GOSSIP_DURATION,
                justification_generation_period: JUSTIFICATION_PERIOD,
                observer_enabled: false,
                local_role: role,
                name: Some(name),
                keystore: role.is_authority().then(|| keystore.keystore()),
                telemetry: None,
                protocol_name,
            },
            link: grandpa,
            network,
            sync,
            notification_service: notifications,
            // Votes for the best block itself. The default rules stay two blocks behind it: six seconds more to finality.
            voting_rule: VotingRulesBuilder::new().build(),
            prometheus_registry: registry,
            shared_voter_state: votes,
            telemetry: None,
            offchain_tx_pool_factory: OffchainTransactionPoolFactory::new(pool),
        })?;
        tasks.spawn_essential_handle().spawn_blocking("grandpa-voter", None, voter);
    }
    Ok(tasks)
}

/// Opens the database and prepares the import of blocks: Aura checks who authored one, GRANDPA what is final.
fn open(config: &Configuration) -> Result<Parts, Error> {
    let registry = config.prometheus_registry();
    let executor = sc_service::new_wasm_executor(&config.executor);
    let filters: Vec<Arc<dyn sc_service::PruningFilter>> = vec![Arc::new(GrandpaPruningFilter)];
    let (client, backend, keystore, tasks) =
        sc_service::new_full_parts::<Block, RuntimeApi, Executor>(config, None, executor, filters)?;
    let client = Arc::new(client);
    let select_chain = SelectChain::new(backend.clone());
    let pool = sc_transaction_pool::Builder::new(
        tasks.spawn_essential_handle(),
        client.clone(),
        config.role.is_authority().into(),
    )
    .with_options(config.transaction_pool.clone())
    .with_prometheus(registry)
    .build();
    let (block_import, grandpa) =
        sc_consensus_grandpa::block_import(client.clone(), JUSTIFICATION_PERIOD, &client, select_chain.clone(), None)?;
    let slot_duration = sc_consensus_aura::slot_duration::<AuraId, _, _>(&*client)?;
    let import_queue = sc_consensus_aura::import_queue::<AuraPair, _, _, _, _, _>(ImportQueueParams {
        block_import: block_import.clone(),
        justification_import: Some(Box::new(block_import.clone())),
        client: client.clone(),
        create_inherent_data_providers: move |_, ()| async move { Ok(inherents(slot_duration)) },
        spawner: &tasks.spawn_essential_handle(),
        registry,
        check_for_equivocation: Default::default(),
        telemetry: None,
        compatibility_mode: CompatibilityMode::default(),
    })?;
    Ok(Parts {
        client,
        backend,
        tasks,
        keystore,
        select_chain,
        pool: Arc::new(pool),
        block_import,
        grandpa,
        import_queue,
    })
}

/// The words of every block about its time: the slot, and the moment.
fn inherents(slot_duration: SlotDuration) -> (SlotInherent, TimeInherent) {
    let time = TimeInherent::from_system_time();
    (SlotInherent::from_timestamp_and_slot_duration(*time, slot_duration), time)
}
