using System.Numerics;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>
/// Observations that are hard on whatever lives from likeness, such as reused text and compression over several frames:
/// in each step 42 % of the 999 units stand somewhere else, at coordinates of which all 24 bits are random (the game's
/// own are multiples of 1/4096, and few units move at once), and the visibility image changes. Each has 160 KiB.
/// </summary>
/// <remarks>
/// Otherwise they are like what an observer of all is answered late in the simulated match of two Elites, Terran against
/// Zerg: the same kinds of units with the same fields. No world stands behind them. A seed gives the same bytes on every
/// machine: the random numbers are integers, and a float is made of their bits or by one division.
/// </remarks>
public sealed class HarshSequence
{
    /// <summary>How many observations a measurement takes.</summary>
    public const int Length = 600;

    /// <summary>Units in each observation.</summary>
    public const int Units = 999;

    /// <summary>Units that stand somewhere else than in the observation before.</summary>
    public const int Moved = 420;

    /// <summary>The seed of published figures.</summary>
    public const ulong DefaultSeed = 5;

    // The map: its images take 30 KB, those of real maps 25 to 70.
    private const int Width = 168;
    private const int Height = 160;

    // The match is late: 11 minutes.
    private const int FirstLoop = 15_000;
    private const int Hurt = 40;
    private const int Lookers = 24;
    private const int Sight = 9;

    private readonly WireWriter _wire = new(MessageBuffer.Rent());
    private readonly HarshUnit[] _units;
    private readonly int[] _movers;
    private readonly byte[] _visibility = new byte[Width * Height];
    private readonly byte[] _creep = new byte[Width * Height / 8];
    private readonly (int X, int Y, int Right, int Down)[] _lookers = new (int, int, int, int)[Lookers];
    private WorldRandom _random;
    private int _loop = FirstLoop;

    /// <summary>A sequence before its first observation.</summary>
    /// <param name="seed">Which one.</param>
    public HarshSequence(ulong seed = DefaultSeed)
    {
        _random = new WorldRandom(seed);
        _units = HarshUnit.All();

        // Those that move stand among those that do not, so that few unchanged ones stand in a row.
        for (var i = _units.Length - 1; i > 0; i--)
        {
            Swap(_units, i, _random.Next(i + 1));
        }

        for (var i = 0; i < _units.Length; i++)
        {
            _units[i].Begin(i, ref _random);
            Place(_units[i]);
        }

        _movers = [.. Enumerable.Range(0, _units.Length).Where(i => _units[i].Moves)];
        for (var i = 0; i < Lookers; i++)
        {
            _lookers[i] = (
                _random.Next(Width), _random.Next(Height), (2 * _random.Next(2)) - 1, (2 * _random.Next(2)) - 1);
        }

        for (var i = 0; i < _creep.Length; i++)
        {
            _creep[i] = i % (Width / 8) < 9 ? (byte)0xFF : (byte)0;
        }
    }

    /// <summary>The next observation: a serialized ResponseObservation, valid until the next call.</summary>
    public ReadOnlySpan<byte> Next()
    {
        _loop++;
        Move();
        Look();
        _wire.Buffer.Clear();
        var observation = _wire.Begin(3);
        WriteCommon();
        WriteScore();
        var raw = _wire.Begin(5);
        var player = _wire.Begin(1);
        _wire.Point2(2, Width / 2f, Height / 2f);
        _wire.End(player);
        foreach (var unit in _units)
        {
            unit.Write(_wire, _loop);
        }

        var state = _wire.Begin(3);
        WriteImage(1, 8, _visibility);
        WriteImage(2, 1, _creep);
        _wire.End(state);
        _wire.End(raw);
        _wire.Number(9, _loop);
        _wire.End(observation);
        return _wire.Buffer.Written.Span;
    }

    private static void Swap<T>(T[] items, int a, int b) => (items[a], items[b]) = (items[b], items[a]);

    // The first of a shuffle are drawn without the rest.
    private void Move()
    {
        for (var i = 0; i < Moved; i++)
        {
            Swap(_movers, i, i + _random.Next(_movers.Length - i));
            Place(_units[_movers[i]]);
        }

        for (var i = 0; i < Hurt; i++)
        {
            _units[_movers[i]].Hurt(ref _random);
        }
    }

    private void Place(HarshUnit unit)
    {
        unit.X = Coordinate(8, Width);
        unit.Y = Coordinate(8, Height);
        unit.Z = Coordinate(8, 13);
        unit.Facing = Coordinate(1, 6);
    }

    // From one whole number up to another, with a fraction that takes all bits that are left; the last is set, so that
    // none less would do.
    private float Coordinate(int least, int limit)
    {
        var whole = least + _random.Next(limit - least);
        var left = 23 - BitOperations.Log2((uint)whole);
        return BitConverter.Int32BitsToSingle(BitConverter.SingleToInt32Bits(whole) | _random.Next(1 << left) | 1);
    }

    private void Look()
    {
        for (var i = 0; i < _visibility.Length; i++)
        {
            _visibility[i] = Math.Min(_visibility[i], (byte)1);
        }

        foreach (ref var looker in _lookers.AsSpan())
        {
            looker.Right = looker.X + looker.Right is < 0 or >= Width ? -looker.Right : looker.Right;
            looker.Down = looker.Y + looker.Down is < 0 or >= Height ? -looker.Down : looker.Down;
            looker.X += looker.Right;
            looker.Y += looker.Down;
            for (var y = Math.Max(0, looker.Y - Sight); y <= Math.Min(Height - 1, looker.Y + Sight); y++)
            {
                for (var x = Math.Max(0, looker.X - Sight); x <= Math.Min(Width - 1, looker.X + Sight); x++)
                {
                    var (right, down) = (x - looker.X, y - looker.Y);
                    if ((right * right) + (down * down) <= Sight * Sight)
                    {
                        _visibility[(y * Width) + x] = 2;
                    }
                }
            }
        }
    }

    // An observer of all has nothing of its own.
    private void WriteCommon()
    {
        var common = _wire.Begin(1);
        for (var field = 1; field <= 10; field++)
        {
            _wire.Number(field, 0);
        }

        _wire.End(common);
    }

    private void WriteScore()
    {
        var score = _wire.Begin(4);
        _wire.Number(6, (ulong)SC2APIProtocol.Score.Types.ScoreType.Melee);
        _wire.Number(7, 0);
        var details = _wire.Begin(8);
        for (var field = 1; field <= 28; field++)
        {
            // 13 to 23 are by category, 24 to 26 of life, shields and energy.
            var parts = field is < 13 or > 26 ? 0 : field < 24 ? 5 : 3;
            if (parts == 0)
            {
                _wire.Real(field, 0);
                continue;
            }

            var inner = _wire.Begin(field);
            for (var part = 1; part <= parts; part++)
            {
                _wire.Real(part, 0);
            }

            _wire.End(inner);
        }

        _wire.End(details);
        _wire.End(score);
    }

    private void WriteImage(int field, int bits, ReadOnlySpan<byte> data)
    {
        var image = _wire.Begin(field);
        _wire.Number(1, bits);
        var size = _wire.Begin(2);
        _wire.Number(1, Width);
        _wire.Number(2, Height);
        _wire.End(size);
        _wire.Bytes(3, data);
        _wire.End(image);
    }
}
