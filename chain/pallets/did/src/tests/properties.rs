//! Properties of every history.

use std::collections::BTreeMap;

use codec::{Decode, DecodeAll};
use proptest::{collection::vec, prelude::*, sample::Index};

use super::{
    dispatch_as::{first_act, Act},
    history::{histories, Deed},
    plain::Plain,
    *,
};

/// Runs 150 cases, or as many as `PROPTEST_CASES` says.
fn cases() -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok());
    ProptestConfig { cases: asked.unwrap_or(150), failure_persistence: None, ..ProptestConfig::default() }
}

/// The next step of a sender.
#[derive(Clone, Debug)]
enum Step {
    /// Signs a new action. Its nonce follows the last one signed if `pipelined`, else the last one that worked.
    Sign { pipelined: bool },
    /// Signs an old action again, with the same nonce and another time limit.
    SignAgain(Index),
    /// Sends any action that it has signed so far.
    Send(Index),
    /// Opens the gate, so that one action works.
    Open,
}

fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => any::<bool>().prop_map(|pipelined| Step::Sign { pipelined }),
        1 => any::<Index>().prop_map(Step::SignAgain),
        4 => any::<Index>().prop_map(Step::Send),
        2 => Just(Step::Open),
    ]
}

/// An action that works only while the gate is open, and closes it.
fn action(did: DidId, number: usize, nonce: u32) -> Act {
    let done = Call::set_service { did, service: service("done", &format!("urn:{number}")) };
    let close = Call::remove_service { did, id: b"gate".to_vec() };
    first_act(did, 1, vec![done, close]).with(|payload| payload.nonce = nonce)
}

/// Counts how often each action was done, from the events since the last count.
fn count(done: &mut BTreeMap<Vec<u8>, u32>) {
    for event in events() {
        if let Event::ServiceSet { id, new, .. } = event {
            if id.to_vec() == b"done" {
                *done.entry(new.endpoints[0].to_vec()).or_default() += 1;
            }
        }
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_pallet_does_and_refuses_what_a_naive_model_does_and_refuses_and_events_alone_rebuild_it(
        history in histories(),
    ) {
        ledger(|| {
            Convening::set(vec![id_of(2).into()]);
            let (mut model, mut folded) = (Plain::default(), Plain::default());
            for deed in history {
                let expected = model.after(&deed);
                let result = match deed.clone() {
                    Deed::Create(creation) => creation.send(),
                    Deed::Act(actor, call) => act(actor, call),
                };
                assert_eq!(result, expected.as_ref().map(|_| ()).map_err(|refusal| *refusal), "{deed:?}");
                model = expected.unwrap_or(model);
                events().into_iter().for_each(|event| folded.tell(event));
                assert_eq!(Plain::stored(), model, "{deed:?}");
                assert_eq!(folded, model, "{deed:?}");
            }
        });
    }

    /// The sender pipelines, fails at random, signs anew and sends every old action again.
    #[test]
    fn each_action_is_done_at_most_once_and_the_nonce_counts_those_that_were(history in vec(steps(), 1..24)) {
        ledger(|| {
            let did = created(1);
            let open = || act(did, Call::set_service { did, service: service("gate", "urn:open") });
            let mut signed: Vec<(usize, Act)> = vec![];
            let (mut actions, mut last, mut worked, mut done) = (0, 0, 0, BTreeMap::new());
            let nonce = || Nonces::<Test>::get(Did::from(did));
            for step in history {
                match step {
                    Step::Sign { pipelined } => {
                        last = if pipelined { last + 1 } else { nonce() + 1 };
                        signed.push((actions, action(did, actions, last)));
                        actions += 1;
                    }
                    Step::SignAgain(which) if !signed.is_empty() => {
                        let (number, act) = which.get(&signed).clone();
                        signed.push((number, act.with(|payload| payload.valid_until += 1)));
                    }
                    Step::Send(which) if !signed.is_empty() => {
                        worked += u32::from(which.get(&signed).1.send().is_ok());
                    }
                    Step::Open => assert_eq!(open(), Ok(())),
                    _ => {}
                }
                count(&mut done);
            }
            for (_, old) in &signed {
                assert_eq!(open(), Ok(()));
                worked += u32::from(old.send().is_ok());
                count(&mut done);
            }
            assert_eq!((nonce(), done.values().sum::<u32>()), (worked, worked));
            assert!(done.values().all(|times| *times == 1), "{done:?}");
        });
    }

    /// The bit is any one of what is signed or of what the signature is checked against.
    #[test]
    fn another_bit_anywhere_refuses_an_action_and_changes_nothing(at: Index, bit in 0u8..8, by_key: bool) {
        ledger(|| {
            let did = created(1);
            assert_eq!(act(did, Call::add_controllers { did, controllers: [did_key(2)].into() }), Ok(()));
            let actor = if by_key { did_key(2) } else { did.into() };
            let call = Call::set_service { did, service: service("web", "urn:x") };
            let act = first_act(actor, if by_key { 2 } else { 1 }, vec![call]);
            let good = Sent { authorization: act.authorization(), calls: act.calls(), submitter: SUBMITTER, ..Sent::default() };
            let mut bytes = good.encode();
            let place = at.index(bytes.len());
            bytes[place] ^= 1 << bit;
            if let Some(other) = Sent::decode_all(&mut &bytes[..]).ok().filter(|other| *other != good) {
                other.is_refused();
            }
            assert_eq!(good.send(), Ok(()));
        });
    }
}

/// An action with everything that its signature covers.
#[derive(Clone, Debug, Decode, Encode, PartialEq)]
struct Sent {
    authorization: Authorization,
    calls: Vec<RuntimeCall>,
    submitter: u64,
    genesis: H256,
    version: u32,
}

impl Default for Sent {
    fn default() -> Self {
        let authorization = Authorization { did: did_key(1), key_id: 0, nonce: 0, valid_until: 0, signature: [0; 64] };
        Self { authorization, calls: vec![], submitter: 0, genesis: GENESIS, version: 1 }
    }
}

impl Sent {
    /// Sends the action to a ledger with its genesis hash and transaction version.
    fn send(&self) -> DispatchResult {
        frame_system::BlockHash::<Test>::insert(0, self.genesis);
        TransactionVersion::set(self.version);
        let (authorization, calls) = (Box::new(self.authorization.clone()), self.calls.clone());
        let call = RuntimeCall::Dids(Call::dispatch_as { authorization, calls });
        let before = Plain::stored();
        let result = outcome(call.dispatch(RuntimeOrigin::signed(self.submitter)));
        assert!(result.is_ok() || (Plain::stored() == before && events().is_empty()));
        result
    }

    fn is_refused(&self) {
        events();
        assert!(self.send().is_err(), "{self:?}");
    }
}
