using System.Runtime.InteropServices;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>A column that <see cref="ObservationRows"/> writes, in the caller's memory.</summary>
/// <param name="Data">The address of the first value. It is a multiple of <paramref name="Size"/>.</param>
/// <param name="Bytes">The size of the memory.</param>
/// <param name="Table">What has a value: a unit, or a frame.</param>
/// <param name="Field">
/// For units and players, the field number; 61, 62 and 63 are a unit's x, y and z. For units, 0 is 1 for each row with a unit. For players,
/// 62 is the score, and 0 the bits of the fields that are present (bit 62: the score). For frames, see <see cref="ObservationRows"/>.
/// </param>
/// <param name="Size">The bytes of a value: the size of the field's type, or 8 for all integers.</param>
/// <param name="Reserved">Must be 0.</param>
[StructLayout(LayoutKind.Sequential)]
public readonly record struct ColumnTarget(nint Data, long Bytes, ColumnTable Table, int Field, int Size, int Reserved);

/// <summary>The tables of <see cref="ColumnTarget"/>.</summary>
public enum ColumnTable
{
    /// <summary>A row for each unit: the fields of <c>Unit</c>.</summary>
    Units = 0,

    /// <summary>A value for each frame: the fields of <c>PlayerCommon</c>, and the score.</summary>
    Players = 1,

    /// <summary>A value for each frame: 0 is the number of units, 1 the step and 2 the game loop.</summary>
    Frames = 2,
}
