using Google.Protobuf.Reflection;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Patches;

/// <summary>The changes of one invented version of the game. All of them follow from its seed.</summary>
internal sealed class Patch(uint seed)
{
    private readonly Dictionary<MessageDescriptor, (int Number, int Kind)> _newFields = [];

    /// <summary>The first new id. It is above every known id, and in some versions above 16 bits.</summary>
    public int FirstId => (Choose("long ids", 4) == 0 ? 70_000 : 6_000) + Choose("first id", 1_000);

    /// <summary>The number of new unit types, abilities, upgrades, buffs and effects. Each kind has the ids from the first one on.</summary>
    public int NewIds => Choose("ids", 5);

    /// <summary>The number of columns of cells that are added to the map's images.</summary>
    /// <remarks>A multiple of eight, because burnysc2 asserts that an image of bits fills its last byte.</remarks>
    public int MoreColumns => 8 * Choose("columns", 16);

    /// <summary>The number of rows of cells that are added to the map's images.</summary>
    public int MoreRows => 8 * Choose("rows", 16);

    /// <summary>Whether the pixels of feature layers have more bits.</summary>
    public bool MoreBits => Choose("bits", 2) == 0;

    /// <summary>
    /// The new field of a message type: its number, between or after the known fields, and one of six kinds. The number is 0 if
    /// there is no new field.
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

    /// <summary>A value that an enumeration does not have yet.</summary>
    public int NewValue(EnumDescriptor type) =>
        type.Values.Max(value => value.Number) + (Choose($"value of {type.FullName}", 4) == 3 ? 300 : 1);

    /// <summary>A number below a limit. It depends only on the seed and on the name of the choice.</summary>
    public int Choose(string what, int limit)
    {
        // The text's own hash code would differ between processes.
        var hash = what.Aggregate(17ul, (hash, letter) => (hash * 31) + letter);
        return new WorldRandom((hash << 32) ^ seed).Next(limit);
    }

    /// <summary>Random numbers for one response, which depend only on its kind and game loop.</summary>
    public WorldRandom Random(int kind, uint loop) => new(((ulong)seed << 32) ^ ((ulong)kind << 24) ^ loop);
}
