using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator;
using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Simulator.Observing;

namespace Sc2Bridge.Native;

/// <summary>One simulated game that plays one match after another. One thread at a time.</summary>
internal sealed class NativeMatch(EnvironmentSettings settings)
{
    private const int Failed = 5; // SC2BRIDGE_FAILED

    private SimulatedGame _game = NewGame();
    private readonly Request _step = new() { Step = new RequestStep { Count = settings.Repeat } };
    private readonly SlotRows _slots = new(settings.Rows);
    private readonly Rewards _rewards = new(settings.Reward);
    private ObservedState _before = new();
    private ObservedState _now = new();
    private UnitActions? _actions;
    private (int Width, int Height) _mapSize;

    /// <summary>Whether the newest match has ended.</summary>
    public bool IsOver { get; private set; }

    /// <summary>Begins a match, and writes its first observation.</summary>
    /// <param name="seed">The game's random seed.</param>
    /// <param name="constants">The game's numbers; null to read them from this match's game.</param>
    /// <param name="sines">See <see cref="Sines.Usual"/>.</param>
    /// <param name="to">Where to write.</param>
    /// <returns>The game's numbers.</returns>
    public GameConstants Begin(uint seed, GameConstants? constants, ReadOnlySpan<float> sines, in MatchArrays to)
    {
        IsOver = true; // Until the match has begun.
        constants = Begin(seed, constants);
        _game.Observe(_now);
        _slots.Clear();
        _slots.Assign(_now.Units);
        _rewards.Begin(_now);
        IsOver = false;
        Write(sines, to);
        (to.Reward[0], to.Terminated[0], to.Result[0]) = (0, 0, 0);
        return constants;
    }

    /// <summary>Begins a match without an observation, for example to check the settings.</summary>
    /// <returns>The game's numbers.</returns>
    public GameConstants Begin(uint seed, GameConstants? constants)
    {
        if (_game.Status is Status.InGame)
        {
            _game.Handle(new Request { LeaveGame = new RequestLeaveGame() });
        }

        var created = Ask(new Request
        {
            CreateGame = new RequestCreateGame
            {
                LocalMap = settings.Map,
                RandomSeed = seed,
                Realtime = false,
                DisableFog = false,
                PlayerSetup = { new PlayerSetup { Type = PlayerType.Participant }, settings.Opponent },
            },
        }).CreateGame;
        Require(!created.HasError, created.ErrorDetails);
        var joined = Ask(new Request { JoinGame = new RequestJoinGame { Race = settings.Race, Options = DefaultInterface.Create() } }).JoinGame;
        Require(!joined.HasError, joined.ErrorDetails);
        var map = Ask(new Request { GameInfo = new RequestGameInfo() }).GameInfo.StartRaw;
        _mapSize = (map.MapSize.X, map.MapSize.Y);
        constants ??= new GameConstants(
            Ask(new Request { Data = new RequestData { AbilityId = true, UnitTypeId = true } }).Data);
        _actions = new UnitActions(constants, new PathingGrid(map.PathingGrid), settings.ChoiceCount);
        return constants;
    }

    /// <summary>Acts, plays the loops of a step, and writes its observation.</summary>
    /// <param name="numbers">The choice of each own row.</param>
    /// <param name="sines">See <see cref="Sines.Usual"/>.</param>
    /// <param name="to">Where to write.</param>
    public void Step(ReadOnlySpan<long> numbers, ReadOnlySpan<float> sines, in MatchArrays to)
    {
        var act = new Request { Action = new RequestAction() };
        _actions!.AddOrders(numbers, _now.Units, _slots, act.Action);
        if (act.Action.Actions.Count > 0)
        {
            Ask(act);
        }

        Ask(_step);
        (_before, _now) = (_now, _before);
        _game.Observe(_now);
        _slots.Assign(_now.Units);
        Write(sines, to);
        to.Reward[0] = _rewards.Compute(_before, _now);
        IsOver = _now.Result is not null;
        to.Terminated[0] = IsOver ? (byte)1 : (byte)0;
        to.Result[0] = (int)(_now.Result ?? 0);
    }

    /// <summary>Ends the match after an exception. The next match gets a new game. The arrays of the observation stay as they are.</summary>
    public void Fail(in MatchArrays to)
    {
        (IsOver, _game) = (true, NewGame());
        (to.Reward[0], to.Terminated[0], to.Result[0]) = (0, 0, Failed);
    }

    private void Write(ReadOnlySpan<float> sines, in MatchArrays to)
    {
        UnitTable.Write(_now, _slots.Units, _mapSize, sines, to);
        _actions!.WriteMask(_now.Units, _slots, to.ActionMask);
        to.GameLoop[0] = _now.GameLoop;
    }

    private Response Ask(Request request)
    {
        var answer = _game.Handle(request);
        return answer.Error.Count == 0
            ? answer
            : throw new InvalidOperationException($"the game refused {request.RequestCase}: {string.Join("; ", answer.Error)}");
    }

    private static SimulatedGame NewGame() => new(new SimulatorOptions { KeepsActions = false });

    private static void Require(bool isOk, string why)
    {
        if (!isOk)
        {
            throw Failure.Argument($"the match cannot begin: {why}");
        }
    }
}
