using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Protocol;

/// <summary>A serialized <see cref="Response"/>, cut into its top-level fields.</summary>
/// <param name="Id">The request's <c>id</c>, echoed; absent where the request had none.</param>
/// <param name="Status">The game's state; absent where the answer does not say.</param>
/// <param name="BodyField">
/// The field number of the body, which is also the request's (see <see cref="Response.ResponseOneofCase"/>); 0: none.
/// </param>
/// <param name="BodyStart">Offset of the body's first byte in the span that was cut.</param>
/// <param name="BodyLength">The body's length in bytes.</param>
/// <param name="HasErrors">
/// True where <c>error</c> holds anything: the request failed where there is no body, and was warned of where there is.
/// </param>
public readonly record struct ResponseSlice(
    uint? Id, Status? Status, int BodyField, int BodyStart, int BodyLength, bool HasErrors);

/// <summary>Finds the body of a <see cref="Response"/> without parsing it.</summary>
public static class ResponseSlicer
{
    private const int LastBodyField = Response.MapCommandFieldNumber;

    /// <summary>
    /// Cuts a response. As in parsing, the last of several ids, states and bodies counts, and unknown fields, or known
    /// ones of another wire type, are passed over.
    /// </summary>
    /// <param name="response">The whole serialized message.</param>
    /// <exception cref="MalformedMessageException">
    /// It is not a message; or one body comes in two parts, which protobuf allows but the game never does: they could
    /// not be handed on as one stretch of bytes.
    /// </exception>
    public static ResponseSlice Slice(ReadOnlySpan<byte> response)
    {
        uint? id = null;
        Status? status = null;
        var (bodyField, bodyStart, bodyLength) = (0, 0, 0);
        var hasErrors = false;
        var reader = new WireReader(response);
        while (reader.Next())
        {
            switch (reader.Field, reader.Type)
            {
                case ( <= LastBodyField, WireFormat.WireType.LengthDelimited):
                    if (reader.Field == bodyField)
                    {
                        throw new MalformedMessageException(
                            $"the body (field {bodyField}) stands there twice", reader.Start);
                    }

                    bodyField = reader.Field;
                    (bodyStart, bodyLength) = (reader.ContentStart, reader.Content.Length);
                    break;
                case (Response.IdFieldNumber, WireFormat.WireType.Varint):
                    id = (uint)reader.Number;
                    break;
                case (Response.StatusFieldNumber, WireFormat.WireType.Varint):
                    status = (Status)(int)reader.Number;
                    break;
                case (Response.ErrorFieldNumber, WireFormat.WireType.LengthDelimited):
                    hasErrors = true;
                    break;
            }
        }

        return new ResponseSlice(id, status, bodyField, bodyStart, bodyLength, hasErrors);
    }
}
