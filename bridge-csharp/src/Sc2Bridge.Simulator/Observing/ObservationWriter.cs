using System.Text;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Simulator.World;
using Unit = Sc2Bridge.Simulator.World.Unit;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>
/// Writes a ResponseObservation of the world straight to the wire, fields in the order of their numbers as the game
/// writes them.
/// </summary>
/// <remarks>
/// Own units carry the fields that the real messages of own units carry, neutral ones in sight and out of sight those
/// of neutral ones. What an observer of all (perspective 0) is answered is not in any message at hand: here every unit
/// is visible in full, the players' units count as enemies, and player_common and score are empty, as they are in
/// replays seen as player 0.
/// </remarks>
internal sealed class ObservationWriter
{
    private readonly WireWriter _wire = new();
    private readonly GameWorld _world;
    private readonly UnitWriter _units;

    /// <summary>A writer of one world.</summary>
    /// <param name="world">Which.</param>
    public ObservationWriter(GameWorld world)
    {
        _world = world;
        _units = new UnitWriter(_wire, world);
    }

    /// <summary>
    /// The observation as <paramref name="perspective"/> has it; takes the events since the last one.
    /// </summary>
    /// <param name="perspective">A player's id, or 0 for all.</param>
    /// <param name="options">Which interfaces were asked for.</param>
    /// <param name="disableFog">Whether everything is seen.</param>
    public ReadOnlySpan<byte> Write(int perspective, InterfaceOptions options, bool disableFog)
    {
        _wire.Clear();
        WriteActions(perspective);
        var observation = _wire.Begin(3);
        WriteCommon(perspective);
        if (options.Score)
        {
            ScoreWriter.Write(_wire, perspective == 0 ? null : _world.Players[perspective - 1], _world);
        }

        if (options.Raw)
        {
            WriteRaw(perspective, disableFog);
        }

        _wire.UInt(9, (ulong)_world.Loop);
        foreach (var (player, alert) in _world.Events.Alerts)
        {
            if (player == perspective)
            {
                _wire.UInt(10, (ulong)alert);
            }
        }

        _wire.End(observation);
        WriteResults();
        foreach (var (player, message) in _world.Events.Chat)
        {
            var chat = _wire.Begin(5);
            _wire.UInt(1, (ulong)player);
            _wire.Bytes(2, Encoding.UTF8.GetBytes(message));
            _wire.End(chat);
        }

        _world.Events.Clear();
        return _wire.Written;
    }

    private void WriteActions(int perspective)
    {
        foreach (var (player, action) in _world.Events.Actions)
        {
            if (player == perspective || perspective == 0)
            {
                _wire.Bytes(1, action.ToByteArray());
            }
        }
    }

    private void WriteResults()
    {
        foreach (var player in _world.Players)
        {
            if (_world.Ended && player.Result is { } outcome)
            {
                var result = _wire.Begin(4);
                _wire.UInt(1, (ulong)player.Id);
                _wire.UInt(2, (ulong)outcome);
                _wire.End(result);
            }
        }
    }

    private void WriteCommon(int perspective)
    {
        var common = _wire.Begin(1);
        _wire.UInt(1, (ulong)perspective);
        var player = perspective == 0 ? null : _world.Players[perspective - 1];
        _wire.Int(2, player?.Minerals ?? 0);
        _wire.Int(3, player?.Vespene ?? 0);
        _wire.Int(4, player?.FoodCap ?? 0);
        _wire.Int(5, ((player?.HalfFoodUsed ?? 0) + 1) / 2);
        _wire.Int(6, ((player?.HalfFoodUsed ?? 0) - (player?.HalfFoodWorkers ?? 0) + 1) / 2);
        _wire.Int(7, (player?.HalfFoodWorkers ?? 0) / 2);
        var (idle, army, larva) = Tally(perspective);
        _wire.Int(8, idle);
        _wire.Int(9, army);
        _wire.Int(10, 0);
        _wire.Int(11, larva);
        _wire.End(common);
    }

    private (int IdleWorkers, int Army, int Larva) Tally(int perspective)
    {
        var (idle, army, larva) = (0, 0, 0);
        for (var slot = 0; perspective != 0 && slot < _world.SlotCount; slot++)
        {
            ref var unit = ref _world.Units[slot];
            if (unit.Alive && unit.Owner == perspective)
            {
                idle += unit.Facts.Is(Kind.Worker) && unit.Errand == Errand.Idle ? 1 : 0;
                army += unit.Facts.IsArmy ? 1 : 0;
                larva += unit.Facts.Id == Production.LarvaId ? 1 : 0;
            }
        }

        return (idle, army, larva);
    }

    private void WriteRaw(int perspective, bool disableFog)
    {
        var raw = _wire.Begin(5);
        var own = _wire.Begin(1);
        var start = _world.Map.Bases[_world.Map.Starts[Math.Max(0, perspective - 1)]];
        _wire.Point(2, Cells(start.X), Cells(start.Y), 0);
        if (perspective != 0)
        {
            foreach (var upgrade in _world.Players[perspective - 1].Upgrades)
            {
                _wire.Int(3, upgrade);
            }
        }

        _wire.End(own);
        for (var slot = 0; slot < _world.SlotCount; slot++)
        {
            ref var unit = ref _world.Units[slot];
            if (!unit.Alive)
            {
                continue;
            }

            var mine = unit.Owner == perspective;
            var sees = disableFog || mine || _world.Vision.Sees(perspective, unit.X, unit.Y);
            if (sees)
            {
                _units.Write(slot, ref unit, perspective);
            }
            else if (unit.Owner == GameWorld.NeutralOwner)
            {
                _units.WriteSnapshot(slot, ref unit);
            }
        }

        WriteMapState(perspective);
        if (_world.Events.Dead.Count > 0)
        {
            var events = _wire.Begin(4);
            foreach (var tag in _world.Events.Dead)
            {
                _wire.UInt(1, tag);
            }

            _wire.End(events);
        }

        _wire.End(raw);
    }

    private void WriteMapState(int perspective)
    {
        var state = _wire.Begin(3);
        WriteImage(1, 8, _world.Vision.Of(perspective));
        WriteImage(2, 1, _world.Creep.Bits);
        _wire.End(state);
    }

    private void WriteImage(int field, int bits, ReadOnlySpan<byte> data)
    {
        var image = _wire.Begin(field);
        _wire.Int(1, bits);
        var size = _wire.Begin(2);
        _wire.Int(1, _world.Map.Width);
        _wire.Int(2, _world.Map.Height);
        _wire.End(size);
        _wire.Bytes(3, data);
        _wire.End(image);
    }

    private static float Cells(int length) => length / (float)Geometry.Cell;
}
