import { All, Controller, Delete, Get, Injectable, Param } from '@nestjs/common';

const PATH = 'cats';

@Controller({ path: PATH })
export class CatsController {
  @Get()
  list() {
    return [];
  }

  @Get([':id', 'by-id/:id'])
  show(@Param('id') id: string) {
    return id;
  }

  @All('any')
  any() {}

  @Delete(':id')
  private remove() {}
}

@Injectable()
export class Cats {
  @Get('not-a-route')
  list() {}
}
