//! A node of a network of Accredit ledgers: a validator, or a full node that follows them and answers JSON-RPC.
//!
//! It knows no chain by itself: `--chain` names the file of the network's specification, which holds the genesis.

mod answers;
mod rpc;
mod runtime_api;
mod service;

use clap::Parser;
use sc_cli::{RunCmd, SubstrateCli};
use sc_service::{ChainSpec, ChainType, GenericChainSpec};
use std::path::PathBuf;

/// The command line: a run, or work with the keys of a node.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    subcommand: Option<Subcommand>,

    #[command(flatten)]
    run: RunCmd,
}

#[derive(clap::Subcommand)]
enum Subcommand {
    /// Makes and shows keys: of a node, and those in its keystore.
    #[command(subcommand)]
    Key(sc_cli::KeySubcommand),
}

impl SubstrateCli for Cli {
    fn impl_name() -> String {
        "Accredit node".into()
    }

    fn impl_version() -> String {
        env!("CARGO_PKG_VERSION").into()
    }

    fn executable_name() -> String {
        env!("CARGO_PKG_NAME").into()
    }

    fn description() -> String {
        env!("CARGO_PKG_DESCRIPTION").into()
    }

    fn author() -> String {
        env!("CARGO_PKG_AUTHORS").into()
    }

    fn support_url() -> String {
        "chain/node/README.md".into()
    }

    fn copyright_start_year() -> i32 {
        2026
    }

    fn load_spec(&self, id: &str) -> Result<Box<dyn ChainSpec>, String> {
        if matches!(id, "" | "dev") {
            return Err("no network is built in: name the file of its specification with --chain".into());
        }
        let specification: GenericChainSpec = GenericChainSpec::from_json_file(PathBuf::from(id))
            .map_err(|reason| format!("{id} is not the specification of a network: {reason}"))?;
        if specification.chain_type() == ChainType::Development {
            return Err(format!("{id} is of a development chain, whose keys everybody knows: such a one is not run"));
        }
        Ok(Box::new(specification))
    }
}

fn main() -> sc_cli::Result<()> {
    let cli = Cli::from_args();
    match &cli.subcommand {
        Some(Subcommand::Key(command)) => command.run(&cli),
        None => cli
            .create_runner(&cli.run)?
            .run_node_until_exit(|config| async move { service::start(config).map_err(sc_cli::Error::Service) }),
    }
}
