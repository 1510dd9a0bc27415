using Google.Protobuf.Reflection;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Patches;

/// <summary>What one made-up version of the game brings; all of it follows from its seed.</summary>
/// <param name="seed">Which version.</param>
internal sealed class Patch(uint seed)
{
    private readonly Dictionary<MessageDescriptor, (int Number, int Kind)> _newFields = [];

    /// <summary>The first of the new ids: above every known one, in some versions above 16 bits.</summary>
    public int FirstId => (Choose("long ids", 4) == 0 ? 70_000 : 6_000) + Choose("first id", 1_000);

    /// <summary>How many unit types, abilities, upgrades, buffs and effects are new, each with the ids from the first one on.</summary>
    public int NewIds => Choose("ids", 5);

    /// <summary>How many columns of cells the map's images have in addition.</summary>
    /// <remarks>Multiples of eight: burnysc2 asserts that an image of bits fills its last byte.</remarks>
    public int MoreColumns => 8 * Choose("columns", 16);

    /// <summary>How many rows of cells the map's images have in addition.</summary>
    public int MoreRows => 8 * Choose("rows", 16);

    /// <summary>Whether feature layers have more bits a pixel.</summary>
    public bool MoreBits => Choose("bits", 2) == 0;

    /// <summary>
    /// The new field of a message type: its number, in a gap between the known fields or behind them, or 0 for no new field;
    /// and one of six kinds.
    /// </summary>
    public (int Number, int Kind) NewFieldOf(MessageDescriptor type)
    {
        if (!_newFields.TryGetValue(type, out var made))
        {
            var known = type.Fields.InFieldNumberOrder().Select(field => field.FieldNumber).ToHashSet();
            var last = known.DefaultIfEmpty().Max();
            var free = Enumerable.Range(1, last + 3).Append(last + 1000).Where(number => !known.Contains(number)).ToArray();
            var number = Choose($"whether {type.FullName}", 3) == 0 ? 0 : free[Choose($"number {type.FullName}", free.Length)];
            _newFields[type] = made = (number, Choose($"kind {type.FullName}", 6));
        }

        return made;
    }

    /// <summary>A value that an enumeration does not know yet.</summary>
    public int NewValue(EnumDescriptor type) =>
        type.Values.Max(value => value.Number) + (Choose($"value of {type.FullName}", 4) == 3 ? 300 : 1);

    /// <summary>A number below a limit that depends only on the seed and on what it decides.</summary>
    public int Choose(string what, int limit)
    {
        // A text's own hash would differ from process to process.
        var hash = what.Aggregate(17ul, (hash, letter) => (hash * 31) + letter);
        return new WorldRandom((hash << 32) ^ seed).Next(limit);
    }

    /// <summary>Random numbers for one response, which depend on its kind and game loop alone.</summary>
    public WorldRandom Random(int kind, uint loop) => new(((ulong)seed << 32) ^ ((ulong)kind << 24) ^ loop);
}
