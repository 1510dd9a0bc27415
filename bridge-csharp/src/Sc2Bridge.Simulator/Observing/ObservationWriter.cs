using System.Text;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>
/// Writes a ResponseObservation of the world straight to the wire. Fields are in the order of their numbers, as in the
/// game's messages.
/// </summary>
/// <remarks>
/// Real messages prove the fields of own and neutral units, in sight and remembered (<see cref="UnitWriter"/>). No
/// message at hand is from an observer of all players (perspective 0). Here
/// such an observer sees every unit in full, players' units count as enemies, and player_common and score are empty, as
/// in replays that are observed as player 0.
/// </remarks>
internal sealed class ObservationWriter(GameWorld world)
{
    private static readonly InterfaceOptions NoOptions = new();
    private readonly WireWriter _wire = new(MessageBuffer.Rent());
    private readonly List<Unit> _towers = [];
    private InterfaceOptions _options = NoOptions;
    private PixelRequests _pixels = new(null, new MapWindow(world.Map, crop: false));
    private FeatureLayerWriter? _layers;
    private MapWindow _window = new(world.Map, crop: false);

    /// <summary>The position of the viewer's camera. Null until the viewer moves it from its first workers.</summary>
    public (int X, int Y)? Camera { get; set; }

    /// <summary>Whether the results are left out although the match has ended, because the game reports them late.</summary>
    public bool OmitResults { get; set; }

    /// <summary>Writes the observation of <paramref name="perspective"/>, and clears the events since the last one.</summary>
    /// <param name="perspective">A player's id, or 0 for all players.</param>
    /// <param name="options">The interfaces that the client asked for.</param>
    /// <param name="disableFog">Whether the viewer sees everything.</param>
    public ReadOnlySpan<byte> Write(int perspective, InterfaceOptions options, bool disableFog)
    {
        if (!ReferenceEquals(options, _options))
        {
            (_options, _window) = (options, new MapWindow(world.Map, options.RawCropToPlayableArea));
            var minimap = new MapWindow(world.Map, options.FeatureLayer?.CropToPlayableArea == true);
            _pixels = new PixelRequests(options.FeatureLayer, minimap);
            _layers = options.FeatureLayer is { } setup
                ? new FeatureLayerWriter(setup, minimap)
                : null;
        }

        var player = perspective == 0 ? null : world.PlayerOf(perspective);
        var events = world.EventsOf(perspective);
        _wire.Buffer.Clear();
        WriteMessages(1, events.Actions.Select(ToClient).OfType<IMessage>());
        WriteMessages(2, events.Errors);
        var observation = _wire.Begin(3);
        WriteCommon(perspective, player);
        var view = ViewOf(perspective, options);
        if (_layers is not null)
        {
            PanelWriter.WriteAbilities(view);
        }

        if (options.Score)
        {
            ScoreWriter.Write(_wire, world, player);
        }

        if (options.Raw)
        {
            WriteRaw(view, player, events, disableFog);
        }

        if (_layers is not null)
        {
            _layers.Write(view, options, disableFog, SnapshotUnitWriter.TowersOf(world, perspective, _towers));
            PanelWriter.Write(view);
        }

        _wire.Number(9, (ulong)world.Loop);
        foreach (var alert in events.Alerts)
        {
            _wire.Number(10, (ulong)alert);
        }

        _wire.End(observation);
        WriteResults();
        foreach (var (from, message) in events.Chat)
        {
            var chat = _wire.Begin(5);
            _wire.Number(1, (ulong)from);
            _wire.Bytes(2, Encoding.UTF8.GetBytes(message));
            _wire.End(chat);
        }

        events.Clear();
        return _wire.Buffer.Written.Span;
    }

    /// <summary>A viewer's view of the world.</summary>
    public ViewPoint ViewOf(int perspective, InterfaceOptions options) =>
        new(_wire, world, _window, perspective, Camera ?? Start(perspective == 0 ? null : world.PlayerOf(perspective)))
        {
            Cheats = options.FeatureLayer?.AllowCheatingLayers == true,
        };

    private SC2APIProtocol.Action? ToClient(SC2APIProtocol.Action action) =>
        _pixels.ToClient(WindowedRequests.ToClient(action, _window));

    private void WriteMessages(int field, IEnumerable<IMessage> messages)
    {
        foreach (var message in messages)
        {
            _wire.Bytes(field, message.ToByteArray());
        }
    }

    private void WriteResults()
    {
        foreach (var player in world.Seated)
        {
            if (world.Ended && !OmitResults && player.Result is { } outcome)
            {
                var result = _wire.Begin(4);
                _wire.Number(1, (ulong)player.Id);
                _wire.Number(2, (ulong)outcome);
                _wire.End(result);
            }
        }
    }

    private void WriteCommon(int perspective, Player? player)
    {
        var count = PlayerTally.Of(world, perspective);
        var food = player?.HalfFoodUsed ?? 0;
        var common = _wire.Begin(1);
        _wire.Number(1, (ulong)perspective);
        _wire.Number(2, player?.Minerals ?? 0);
        _wire.Number(3, player?.Vespene ?? 0);
        _wire.Number(4, player?.FoodCap ?? 0);
        _wire.Number(5, (food + 1) / 2);
        _wire.Number(6, (food - count.HalfWorkers + 1) / 2);
        _wire.Number(7, count.HalfWorkers / 2);
        _wire.Number(8, count.IdleWorkers);
        _wire.Number(9, count.Army);
        _wire.Number(10, count.WarpGates);
        if (player?.Race == Race.Zerg)
        {
            // The real message of a Terran player does not have this field.
            _wire.Number(11, count.Larvae);
        }

        _wire.End(common);
    }

    private void WriteRaw(ViewPoint view, Player? player, PlayerEvents events, bool disableFog)
    {
        var perspective = view.Viewer;
        var raw = _wire.Begin(5);
        WritePlayer(player);
        var writer = new UnitWriter(view, _options);
        foreach (var unit in world.Units)
        {
            writer.Write(unit, disableFog);
        }

        if (perspective != 0 && !disableFog)
        {
            foreach (var remembered in world.Vision.SnapshotsOf(perspective))
            {
                SnapshotUnitWriter.WriteSnapshot(view, remembered);
            }

            SnapshotUnitWriter.WriteBlips(view, SnapshotUnitWriter.TowersOf(world, perspective, _towers));
        }

        if (_options.ShowPlaceholders)
        {
            SnapshotUnitWriter.WritePlaceholders(view);
        }

        WriteMapState(perspective);
        if (events.Dead.Count > 0)
        {
            var dead = _wire.Begin(4);
            foreach (var tag in events.Dead)
            {
                _wire.Number(1, tag);
            }

            _wire.End(dead);
        }

        WriteEffects(view, disableFog);
        WriteRadar(perspective);
        _wire.End(raw);
    }

    private void WritePlayer(Player? player)
    {
        var own = _wire.Begin(1);
        if (player is not null)
        {
            foreach (var (source, radius) in world.Power.Sources)
            {
                if (source.Owner == player.Id)
                {
                    var power = _wire.Begin(1);
                    _wire.Point2(1, _window.X(source.X), _window.Y(source.Y));
                    _wire.Real(2, radius / (float)Geometry.Cell);
                    _wire.Number(3, source.Tag);
                    _wire.End(power);
                }
            }
        }

        var (x, y) = Camera ?? Start(player);
        _wire.Point2(2, _window.X(x), _window.Y(y));
        if (player is not null)
        {
            foreach (var upgrade in player.Upgrades)
            {
                _wire.Number(3, upgrade);
            }
        }

        _wire.End(own);
    }

    // The camera of an observer of all players begins at the first start location.
    private (int X, int Y) Start(Player? player)
    {
        var start = world.Map.Bases[world.Map.Starts[0]];
        return player?.Camera ?? (start.X, start.Y);
    }

    private void WriteMapState(int perspective)
    {
        var state = _wire.Begin(3);
        var seen = world.Vision.Of(perspective);
        var creep = world.Creep.Bits;
        WriteImage(1, 8, _window.IsWhole ? seen : _window.Cut(seen));
        WriteImage(2, 1, _window.IsWhole ? creep : _window.CutBits(creep));
        _wire.End(state);
    }

    private void WriteImage(int field, int bits, ReadOnlySpan<byte> data)
    {
        var image = _wire.Begin(field);
        _wire.Number(1, bits);
        var size = _wire.Begin(2);
        _wire.Number(1, _window.Width);
        _wire.Number(2, _window.Height);
        _wire.End(size);
        _wire.Bytes(3, data);
        _wire.End(image);
    }

    private void WriteEffects(ViewPoint view, bool disableFog)
    {
        foreach (var effect in world.Effects)
        {
            if (!view.Shows(effect, disableFog))
            {
                continue;
            }

            var written = _wire.Begin(5);
            _wire.Number(1, effect.Id);
            _wire.Point2(2, _window.X(effect.X), _window.Y(effect.Y));
            _wire.Number(3, (ulong)(effect.Owner == view.Viewer ? Alliance.Self : Alliance.Enemy));
            _wire.Number(4, effect.Owner);
            _wire.Real(5, ViewPoint.RadiusOf(effect));
            _wire.End(written);
        }
    }

    private void WriteRadar(int perspective)
    {
        foreach (var tower in SnapshotUnitWriter.TowersOf(world, perspective, _towers))
        {
            var ring = _wire.Begin(6);
            _wire.Point(1, _window.X(tower.X), _window.Y(tower.Y), 0);
            _wire.Real(2, tower.Type.Radar);
            _wire.End(ring);
        }
    }
}
