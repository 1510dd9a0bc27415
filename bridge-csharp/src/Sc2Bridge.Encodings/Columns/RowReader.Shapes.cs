using System.Runtime.CompilerServices;

namespace Sc2Bridge.Encodings.Columns;

/// <content>Units whose shape is known.</content>
internal sealed unsafe partial class RowReader
{
    // As ReadRow, of a message whose shape is known.
    private ulong ReadShaped(MessageTemplate shape, nint* columns, nint row, byte* at)
    {
        var step = shape.Steps;
        for (var end = step + shape.Floats; step < end; step++)
        {
            *(uint*)(columns[step->Number] + row * sizeof(float)) = Unsafe.ReadUnaligned<uint>(at + step->Offset);
        }

        for (var end = step + shape.Flags; step < end; step++)
        {
            *(byte*)(columns[step->Number] + row) = at[step->Offset];
        }

        for (var end = step + shape.Words; step < end; step++)
        {
            *(uint*)(columns[step->Number] + row * sizeof(uint)) = at[step->Offset];
        }

        var mask = shape.Present;
        for (var end = step + shape.Others; step < end; step++)
        {
            var number = step->Number;
            var value = at + step->Offset;
            switch (step->Kind)
            {
                case RowField.Enum:
                    if ((units.Layout.Named[number] >> *value & 1) == 0)
                    {
                        mask &= ~(1UL << number);
                        break;
                    }

                    *(byte*)(columns[number] + row) = *value;
                    break;
                case RowField.Point:
                    ReadPoint((uint*)(columns[number] + row * 3 * sizeof(float)), value, value + step->Length);
                    break;
                case RowField.Item:
                    ReadItem(_lists[number]!, row, value, value + step->Length);
                    break;
                case RowField.Number:
                    ReadNumber(value, value + step->Length);
                    _lists[number]!.Add((int)row, (uint)_value);
                    break;
                case RowField.Word:
                    ReadNumber(value, value + step->Length);
                    *(uint*)(columns[number] + row * sizeof(uint)) = (uint)_value;
                    break;
                default:
                    ReadNumber(value, value + step->Length);
                    *(ulong*)(columns[number] + row * sizeof(ulong)) = _value;
                    break;
            }
        }

        return mask;
    }
}
